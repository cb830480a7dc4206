// Command emptywindow is the floor of the window measures: a Wails window with an empty page, shown when the page is
// loaded, and nothing else.
package main

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

func main() {
	page := fstest.MapFS{"index.html": {Data: []byte("<!doctype html><html lang=en><title>Empty</title><body></body></html>")}}
	err := wails.Run(&options.App{
		Title: "Empty", Width: 1280, Height: 860, StartHidden: true,
		AssetServer: &assetserver.Options{Assets: page},
		OnDomReady:  func(ctx context.Context) { runtime.WindowShow(ctx) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
