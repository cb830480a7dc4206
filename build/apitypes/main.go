// Command apitypes writes the TypeScript side of the API from the Go types: every method with its request and answer, every
// event with its payload. `go run ./build/apitypes [-check] FILE`; -check only compares.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"portico/app"
)

func main() {
	check := flag.Bool("check", false, "fail when the file differs from what would be written")
	flag.Parse()
	file := "frontend/src/host/api.gen.ts"
	if flag.NArg() > 0 {
		file = flag.Arg(0)
	}
	want := []byte(app.TypeScript())
	have, _ := os.ReadFile(file)
	switch {
	case bytes.Equal(have, want):
	case *check:
		fmt.Fprintf(os.Stderr, "%s does not match the Go types: run `go run ./build types`\n", file)
		os.Exit(1)
	default:
		if err := os.WriteFile(file, want, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
