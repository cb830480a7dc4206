package grant

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// strangeLink gives the first link on the way to a granted path that is neither the person's own folder (the base, which a
// template stands for) nor the system's. Whoever may write above a granted path can put a link in its place, once, and
// every later start would be given what it leads to: an archive that was unpacked, a program that was allowed to write
// there, a project from a stranger.
func strangeLink(base, path string) string {
	at := filepath.VolumeName(path) + string(filepath.Separator)
	if base != "" && Within(path, base) {
		at = real(base)
	} else {
		base = at
	}
	rel, err := filepath.Rel(base, path)
	if err != nil || rel == "." {
		return ""
	}
	for _, part := range strings.Split(rel, string(filepath.Separator)) {
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		if err != nil {
			return "" // what is not there leads nowhere
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if !systemKeeps(at) {
				return next
			}
			next = real(next)
		}
		at = next
	}
	return ""
}

// systemKeeps says whether a folder is one in which systems keep links of their own, and in which nobody but the system's
// owner writes: /bin on Linux, /tmp and /var on macOS, /var/run, alternatives, what the kernel shows of devices.
func systemKeeps(folder string) bool {
	return folder == "/" || folder == "/var" || slices.ContainsFunc(systemFolders, func(outer string) bool { return Within(folder, outer) })
}

var systemFolders = []string{"/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/sys", "/dev", "/proc", "/nix", "/System", "/Library"}
