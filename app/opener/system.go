package opener

import (
	"os/exec"
	"time"

	"portico/backend/capability"
)

// handOver is how long an opener has to say that it failed. One that still runs then has most likely become the program
// that it opened.
const handOver = 3 * time.Second

// System is the person's desktop, for extensions that may open things on it. Unlike the window, which shows nothing either
// way, a tool is told when an opener failed.
type System struct{}

var _ capability.Opener = System{}

func (System) URL(address string) error {
	cmd, err := forURL(address)
	if err != nil {
		return err
	}
	return finish(cmd, address)
}

func (System) Path(path string) error {
	cmd, err := forPath(path)
	if err != nil {
		return err
	}
	return finish(cmd, path)
}

func (System) App(name string) error { return finish(application(name), name) }

func finish(cmd *exec.Cmd, what string) error {
	ended, err := begin(cmd, what)
	if err != nil {
		return err
	}
	select {
	case err := <-ended:
		if err != nil {
			return failed(what, err)
		}
	case <-time.After(handOver):
	}
	return nil
}
