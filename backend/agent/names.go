package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"portico/backend/model"
)

// maxNameChars is what providers take as a function's name.
const maxNameChars = 64

// key is what a tool's name in a session is kept under.
func key(o Offer) string { return o.Address() }

// Names gives every tool the name that the model calls it by: the tool's own, or with "<extension id>__" in front where two
// would be equal. used are the names of this session so far, by address; a tool keeps the one it had, also when another
// extension that is installed later brings one of the same name. The result has them too, so that it can be used again.
func Names(offers []Offer, used map[string]string) map[string]string {
	names := make(map[string]string, len(used)+len(offers))
	taken := map[string]bool{}
	for address, name := range used {
		names[address], taken[name] = name, true
	}
	fresh := make([]Offer, 0, len(offers))
	wanted := map[string]int{}
	for _, o := range offers {
		if _, has := names[key(o)]; !has {
			fresh = append(fresh, o)
			wanted[plainName(o.Tool.Name)]++
		}
	}
	slices.SortFunc(fresh, func(a, b Offer) int { return strings.Compare(key(a), key(b)) })
	for _, o := range fresh {
		name := plainName(o.Tool.Name)
		if taken[name] || wanted[name] > 1 {
			name = plainName(o.Copy.ID + "__" + o.Tool.Name)
		}
		for salt := key(o); taken[name]; salt += "'" { // ids that differ only in characters that no name may have
			name = short(name, salt)
		}
		names[key(o)], taken[name] = name, true
	}
	return names
}

// plainName keeps what a provider takes: ^[a-zA-Z0-9_-]{1,64}$.
func plainName(name string) string {
	plain := strings.TrimLeft(model.PlainName(name), "_-")
	switch {
	case plain == "":
		return short("tool", name)
	case len(plain) > maxNameChars:
		return short(plain, name)
	}
	return plain
}

// short cuts a name and ends it with something of the salt's own.
func short(name, salt string) string {
	sum := sha256.Sum256([]byte(salt))
	end := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxNameChars-len(end))] + end
}
