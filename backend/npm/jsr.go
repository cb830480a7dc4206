package npm

import (
	"net/http"
	"path"
	"strings"
)

// serveJSR hands on what JSR has: modules, which Deno checks by the hashes that a version states.
func (d *Door) serveJSR(w http.ResponseWriter, r *http.Request) {
	name, rest := scoped(r.URL.Path)
	registry := d.config.JSR
	if name == "" {
		http.NotFound(w, r)
		return
	}
	if (strings.HasSuffix(rest, "meta.json") || registry == "") && !d.need(name, registry) {
		http.Error(w, "no more packages", http.StatusForbidden)
		return
	}
	response, cancel := d.get(r.Context(), name, registry, strings.TrimSuffix(registry, "/")+path.Clean(r.URL.EscapedPath()), "*/*")
	if response == nil {
		http.Error(w, "the registry failed", http.StatusBadGateway)
		return
	}
	defer cancel()
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		if rest == "meta.json" {
			d.lacks(Missing(name, registry))
		}
		http.NotFound(w, r)
		return
	}
	for _, header := range []string{"Content-Type", "X-Jsr-Cache-Id"} {
		if value := response.Header.Get(header); value != "" {
			w.Header().Set(header, value)
		}
	}
	if !d.take(0, 1) {
		d.fail(tooLarge(name, registry, "it has too many files"))
		http.Error(w, "too many files", http.StatusForbidden)
		return
	}
	full := false
	err := d.read(response.Body, d.limits.DocumentBytes, cancel, func(part []byte) error {
		if full = !d.take(int64(len(part)), 0); full {
			return errTooLarge
		}
		_, err := w.Write(part)
		return err
	})
	if err != nil {
		if r.Context().Err() == nil {
			max := d.limits.DocumentBytes
			if full {
				max = d.limits.UnpackedBytes
			}
			d.fail(d.broken(name, registry, max, err))
		}
		panic(http.ErrAbortHandler) // a whole answer must not be taken for one
	}
	if version, ok := strings.CutSuffix(rest, "_meta.json"); ok {
		d.came(Package{Name: name, Version: version})
	}
}

// scoped takes a path of JSR apart: "/@scope/name/1.0.0/mod.ts".
func scoped(from string) (name, rest string) {
	parts := strings.SplitN(strings.TrimPrefix(path.Clean(from), "/"), "/", 3)
	if len(parts) < 3 || !packageName.MatchString(parts[0]+"/"+parts[1]) {
		return "", ""
	}
	return parts[0] + "/" + parts[1], parts[2]
}
