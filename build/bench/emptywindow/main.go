// Command emptywindow is the floor of the window measures: a Wails window with an empty page and nothing else. It prints a
// line when the page is loaded: a window that starts hidden is mapped for a moment by Wails itself, before there is a page,
// so looking for a window would measure too little.
package main

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
)

func main() {
	page := fstest.MapFS{"index.html": {Data: []byte("<!doctype html><html lang=en><title>Empty</title><body></body></html>")}}
	err := wails.Run(&options.App{
		Title: "Empty", Width: 1280, Height: 860,
		AssetServer: &assetserver.Options{Assets: page},
		OnDomReady:  func(context.Context) { fmt.Println("loaded") },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
