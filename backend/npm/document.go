package npm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// packageName is what npm takes for a name (npm's documentation, package.json, name), and old packages' capitals.
var packageName = regexp.MustCompile(`^(@[a-zA-Z0-9~-][a-zA-Z0-9._~-]*/)?[a-zA-Z0-9~_-][a-zA-Z0-9._~-]{0,213}$`)

// isVersion says whether this is a version as npm has them (semver.org): nothing else can be published.
func isVersion(number string) bool {
	_, err := semver.StrictNewVersion(number)
	return err == nil
}

// abbreviated asks for what an install needs of a package: a tenth of all there is to say.
const abbreviated = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*"

// RangeTag is the name under which the door offers the newest version of a range that has several parts, such as
// ">=2 <3": npm takes them in a package.json, and Deno takes one part in what it is asked for (measured with Deno 2.9.6). One
// part, and it is the range itself.
func RangeTag(wanted string) (tag string, several bool) {
	if !strings.ContainsAny(strings.TrimSpace(wanted), " |") {
		return wanted, false
	}
	sum := sha256.Sum256([]byte(wanted))
	return "range-" + hex.EncodeToString(sum[:6]), true
}

// newest is the newest version in a range; empty when there is none.
func newest[T any](versions map[string]T, wanted string) string {
	fits, err := semver.NewConstraint(wanted)
	if err != nil {
		return ""
	}
	var best *semver.Version
	for number := range versions {
		if v, err := semver.StrictNewVersion(number); err == nil && fits.Check(v) && (best == nil || v.GreaterThan(best)) {
			best = v
		}
	}
	if best == nil {
		return ""
	}
	return best.Original()
}

// archive is one version of a package as its registry describes it.
type archive struct {
	name, version, registry string
	address                 string // where it really is
	elsewhere               string // the other host that it is said to be on
	integrity, shasum       string
}

// serveDocument says what versions a package has. Each archive is said to be at the door.
func (d *Door) serveDocument(w http.ResponseWriter, r *http.Request, name string) {
	document, found := d.document(r.Context(), name)
	switch {
	case document != nil:
		w.Header().Set("Content-Type", "application/json")
		w.Write(document)
	case found:
		http.Error(w, "the registry failed", http.StatusBadGateway)
	default:
		d.lacks(Missing(name, d.config.registryOf(name)))
		http.NotFound(w, r)
	}
}

// document asks for what an install needs to know of a package, and keeps where its archives are. Nothing, and it was not
// found or the door failed.
func (d *Door) document(ctx context.Context, name string) (document []byte, found bool) {
	registry := d.config.registryOf(name)
	if !d.need(name, registry) {
		return nil, true
	}
	response, cancel := d.get(ctx, name, registry, registry+strings.ReplaceAll(name, "/", "%2f"), abbreviated)
	if response == nil {
		return nil, true
	}
	defer cancel()
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return nil, false
	}
	var body bytes.Buffer
	err := d.read(response.Body, d.limits.DocumentBytes, cancel, func(part []byte) error { _, err := body.Write(part); return err })
	if err != nil {
		if ctx.Err() == nil {
			d.fail(d.broken(name, registry, d.limits.DocumentBytes, err))
		}
		return nil, true
	}
	document, archives, err := readDocument(body.Bytes(), name, registry, d.wanted.Ranges[name], d.config.replaces)
	if err != nil {
		d.fail(strangeAnswer(name, registry, err))
		return nil, true
	}
	d.mu.Lock()
	maps.Copy(d.archives, archives)
	d.mu.Unlock()
	return document, true
}

// archiveAt gives the archive that a path names: "/@a/b/-/b-1.0.0.tgz". Whoever has a lock asks for archives at once. Not
// found, and it is none or the door failed.
func (d *Door) archiveAt(ctx context.Context, asked string) (archive, bool) {
	d.mu.Lock()
	a, known := d.archives[asked]
	d.mu.Unlock()
	if known {
		return a, true
	}
	name, file, ok := strings.Cut(strings.TrimPrefix(asked, "/"), "/-/")
	number, isFile := strings.CutPrefix(strings.TrimSuffix(file, ".tgz"), path.Base(name)+"-")
	if !ok || !isFile || !packageName.MatchString(name) || !isVersion(number) {
		return archive{}, false
	}
	registry := d.config.registryOf(name)
	if document, found := d.document(ctx, name); document == nil {
		if !found {
			d.fail(Missing(name, registry))
		}
		return archive{}, false
	}
	d.mu.Lock()
	a, known = d.archives[asked]
	d.mu.Unlock()
	if !known {
		d.fail(NoVersion(name, number, registry))
	}
	return a, known
}

// readDocument keeps what an install needs, and gives each version's archive by the path it will be asked for.
func readDocument(data []byte, name, registry string, ranges []string, replaces func(host string) bool) ([]byte, map[string]archive, error) {
	var whole struct {
		Tags     map[string]string                     `json:"dist-tags"`
		Versions map[string]map[string]json.RawMessage `json:"versions"`
		Time     json.RawMessage                       `json:"time,omitempty"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, nil, err
	}
	from, err := url.Parse(registry)
	if err != nil {
		return nil, nil, err
	}
	archives := map[string]archive{}
	for number, about := range whole.Versions {
		var dist map[string]json.RawMessage
		var stated struct{ Tarball, Integrity, Shasum string }
		if !isVersion(number) || json.Unmarshal(about["dist"], &dist) != nil || json.Unmarshal(about["dist"], &stated) != nil || dist == nil {
			delete(whole.Versions, number) // nobody can install it
			continue
		}
		a := archive{name: name, version: number, registry: registry, integrity: stated.Integrity, shasum: stated.Shasum}
		a.address, a.elsewhere = really(stated.Tarball, registry, from, replaces)
		place := "/" + name + "/-/" + path.Base(name) + "-" + number + ".tgz"
		archives[place] = a
		if dist["tarball"], err = json.Marshal(inFront + place[1:]); err != nil {
			return nil, nil, err
		}
		if about["dist"], err = json.Marshal(dist); err != nil {
			return nil, nil, err
		}
	}
	for _, wanted := range ranges {
		if tag, several := RangeTag(wanted); several && whole.Tags != nil {
			whole.Tags[tag] = newest(whole.Versions, wanted)
			if whole.Tags[tag] == "" {
				delete(whole.Tags, tag) // then Deno says that there is none
			}
		}
	}
	document, err := json.Marshal(map[string]any{"name": name, "dist-tags": whole.Tags, "versions": whole.Versions, "time": whole.Time})
	return document, archives, err
}

// really is where an archive is: on its registry's own host. A mirror may name the host that it mirrors.
func really(tarball, registry string, from *url.URL, replaces func(host string) bool) (address, elsewhere string) {
	at, err := from.Parse(tarball)
	if err != nil || tarball == "" {
		return "", "nowhere"
	}
	if at.Host != from.Host && replaces(at.Host) {
		return strings.TrimSuffix(registry, "/") + at.EscapedPath(), ""
	}
	if at.Host != from.Host || at.Scheme != from.Scheme {
		return "", first(at.Host, tarball)
	}
	return at.String(), ""
}
