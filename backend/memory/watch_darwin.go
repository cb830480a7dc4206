package memory

import "os"

const maxWatched = 2_000 // open files

// watchCost: kqueue holds every file of a watched folder open.
func watchCost(folder string) int {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 1
	}
	return 1 + len(entries)
}
