package core

import (
	"context"

	winregistry "golang.org/x/sys/windows/registry"
)

// webviewClient is the id under which WebView2's runtime registers itself
// (learn.microsoft.com, Distribute your app and the WebView2 Runtime).
const webviewClient = `SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}`

// webviewCheck looks for the WebView2 runtime.
func webviewCheck(context.Context) Check {
	check := Check{Name: "webview", Detail: "WebView2 not found", Next: "Install the WebView2 Runtime from Microsoft. The command line works without."}
	for _, root := range []winregistry.Key{winregistry.LOCAL_MACHINE, winregistry.CURRENT_USER} {
		key, err := winregistry.OpenKey(root, webviewClient, winregistry.QUERY_VALUE)
		if err != nil {
			continue
		}
		installed, _, err := key.GetStringValue("pv")
		key.Close()
		if err == nil && installed != "" && installed != "0.0.0.0" {
			return Check{Name: "webview", OK: true, Detail: "WebView2 " + installed}
		}
	}
	return check
}

// keyringCheck: the Credential Manager is part of Windows.
func keyringCheck(context.Context) Check {
	return Check{Name: "keyring", OK: true, Detail: "Credential Manager"}
}
