package window

import (
	_ "embed"
	"net/http"
)

// pageScript runs in the page once it is loaded.
//
//go:embed page.js
var pageScript string

// policy is what the page may load: its own files, and pictures and frames that it makes itself. Nothing from the network:
// a picture in a model's answer would carry whatever its address holds to whoever serves it.
const policy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; " +
	"media-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'"

// guardPage puts the policy on everything that is served to the window.
func guardPage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Security-Policy", policy)
		rw.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(rw, r)
	})
}
