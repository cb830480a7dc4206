// Command cmd serves a scripted model for end-to-end tests:
//
//	go run ./backend/model/modeltest/cmd -script FILE [-addr 127.0.0.1:0] [-record FILE] [-stdin]
//
// It prints its base address on one line and serves until it is interrupted or, with -stdin, its standard input ends: so
// it goes with whoever started it, also through `go run`, which passes no signals on. Requests are appended to the record,
// one JSON object a line.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"portico/backend/model/modeltest"
)

func main() {
	script := flag.String("script", "", "the script, a JSON file")
	address := flag.String("addr", "127.0.0.1:0", "where to listen")
	record := flag.String("record", "", "append each request to this file as a line of JSON")
	stdin := flag.Bool("stdin", false, "end when standard input ends")
	flag.Parse()
	if err := serve(*script, *address, *record, *stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(scriptFile, address, recordFile string, endWithStdin bool) error {
	script, err := modeltest.Read(scriptFile)
	if err != nil {
		return err
	}
	var record func(modeltest.Request)
	if recordFile != "" {
		out, err := os.OpenFile(recordFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("open the record: %w", err)
		}
		defer out.Close()
		lines := json.NewEncoder(out)
		record = func(r modeltest.Request) {
			r.Header = nil // may carry a key
			if err := lines.Encode(r); err != nil {
				fmt.Fprintln(os.Stderr, "record a request:", err)
			}
		}
	}
	server, err := modeltest.StartAt(address, script, record)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Println(server.URL)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if endWithStdin {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	<-ctx.Done()
	return nil
}
