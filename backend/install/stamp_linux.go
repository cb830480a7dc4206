package install

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// stampOf identifies a file's content without reading it: the change time can't be set back by a program, as the
// modification time can.
func stampOf(info fs.FileInfo) (text string, changed time.Time, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}, false
	}
	return fmt.Sprintf("%d %d %d.%d %d.%d", stat.Ino, stat.Size, stat.Mtim.Sec, stat.Mtim.Nsec, stat.Ctim.Sec, stat.Ctim.Nsec), time.Unix(stat.Ctim.Unix()), true
}
