package core

import (
	"context"
	"os/exec"
)

// webviewCheck: WKWebView is part of macOS.
func webviewCheck(context.Context) Check {
	return Check{Name: "webview", OK: true, Detail: "WKWebView"}
}

// keyringCheck asks for the default keychain's path; it opens and unlocks nothing.
func keyringCheck(ctx context.Context) Check {
	check := Check{Name: "keyring", Detail: "no default keychain", Next: "Open Keychain Access and make a login keychain."}
	if _, err := exec.LookPath("security"); err != nil {
		return check
	}
	if said, err := run(ctx, "security", "default-keychain"); err == nil {
		check.OK, check.Detail, check.Next = true, "Keychain, "+firstLine(said), ""
	}
	return check
}
