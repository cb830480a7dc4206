// Command bench measures Portico against floors that are measured in the same run. One line a measure:
//
//	bench <name> <value> <unit> floor=<value> ratio=<x>
//
// With names of suites (tools, load, stores, window) only those are run. It never fails on a slow day: the ratio is what counts, and a person reads it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"
)

// runs is how often each start is measured; the median counts, so that one slow run does not.
const runs = 9

// measure is one figure with its floor, both in the unit.
type measure struct {
	name        string
	value       float64
	floor       float64
	unit        string
	goal        float64
	explanation string
}

func (m measure) String() string {
	return fmt.Sprintf("bench %s %.2f %s floor=%.2f ratio=%.2f", m.name, m.value, m.unit, m.floor, m.value/m.floor)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// An installed Portico has its Deno beside it; `go run` puts this program somewhere else.
	if bin, err := filepath.Abs("build/bin"); err == nil {
		os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	failed := false
	for _, suite := range []struct {
		name string
		run  func(context.Context) ([]measure, error)
	}{{"tools", benchTools}, {"load", benchLoad}, {"stores", benchStores}, {"window", benchWindow}} {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], suite.name) {
			continue
		}
		measures, err := suite.run(ctx)
		for _, m := range measures {
			fmt.Println(m)
			fmt.Fprintf(os.Stderr, "  %s; goal: at most %.1f times the floor\n", m.explanation, m.goal)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: the %s suite could not be measured: %v\n", suite.name, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
