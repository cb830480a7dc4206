package npm

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"

	"portico/backend/extension"
)

// Archive gets one version of one package, packed, into a new file in the scratch folder. It has exactly the given hash
// ("sha512-…"), whatever the registry states. progress is told how many bytes have come in all, from any goroutine.
func Archive(ctx context.Context, config Config, limits Limits, scratch, name, version, integrity string, progress func(bytes int64)) (file string, err error) {
	d, err := Open(config, limits, scratch, Wanted{}, func(Progress) {})
	if err != nil {
		return "", err
	}
	defer d.Close()
	asked := "/" + name + "/-/" + path.Base(name) + "-" + version + ".tgz"
	if a, found := d.archiveAt(ctx, asked); found {
		d.client.Transport = &counting{to: d.client.Transport, progress: progress}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.address, nil)
		if err != nil {
			return "", fmt.Errorf("ask for %s: %w", name, err)
		}
		got, _, problem := d.fetch(request, a)
		if got != nil {
			return pinned(got, a, integrity)
		}
		if problem != nil && ctx.Err() == nil {
			return "", problem
		}
	}
	switch problem := d.Problem(); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case problem != nil:
		return "", problem
	}
	return "", NoVersion(name, version, d.config.registryOf(name))
}

// pinned keeps a file that has the hash.
func pinned(got *os.File, a archive, integrity string) (file string, err error) {
	defer func() {
		got.Close()
		if err != nil {
			os.Remove(got.Name())
		}
	}()
	sum := sha512.New()
	if _, err := got.Seek(0, io.SeekStart); err != nil {
		return "", unwritable(a, err)
	}
	if _, err := io.Copy(sum, got); err != nil {
		return "", unwritable(a, err)
	}
	if have := "sha512-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); have != integrity {
		p := extension.NewProblem("npm.not-pinned", "What the registry {registry} has as {package} {version} is not what Portico knows by that name: its hash is another one.",
			"Check `npm config get registry`. If it stays so, tell whoever runs that registry.", "registry", shown(a.registry), "package", a.name, "version", a.version)
		p.Detail = fmt.Sprintf("it should be %s and is %s", integrity, have)
		return "", p
	}
	return got.Name(), nil
}

// counting tells how much has come.
type counting struct {
	to       http.RoundTripper
	progress func(int64)
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.to.RoundTrip(r)
	if err == nil {
		response.Body = &counted{ReadCloser: response.Body, progress: c.progress}
	}
	return response, err
}

type counted struct {
	io.ReadCloser
	total    int64
	progress func(int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.total += int64(n); n > 0 {
		c.progress(c.total)
	}
	return n, err
}
