package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pollEvery is how often the descendants are looked at while they are being ended.
const pollEvery = time.Millisecond

func notify(stop chan<- os.Signal) {
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
}

// endWith waits for the program or the order to stop, ends every descendant, and exits as the program did.
func endWith(program int, stop <-chan os.Signal) error {
	ended := make(chan syscall.WaitStatus, 1)
	go reap(program, ended)
	var status syscall.WaitStatus
	asked := false
	select {
	case status = <-ended:
	case <-stop:
		asked = true
	}
	if err := endAll(); err != nil {
		return err
	}
	switch {
	case asked:
		os.Exit(128 + int(syscall.SIGTERM))
	case status.Signaled():
		signal.Reset()
		unix.Kill(os.Getpid(), status.Signal()) // end as it ended
	}
	os.Exit(status.ExitStatus())
	return nil
}

// endAll ends every descendant. They are stopped before they are ended: what keeps starting others can't outrun that.
func endAll() error {
	stopped := map[int]bool{}
	for {
		alive, err := descendants(os.Getpid())
		if err != nil {
			return err
		}
		if len(alive) == 0 {
			return nil
		}
		fresh := false
		for _, pid := range alive {
			if !stopped[pid] {
				fresh, stopped[pid] = true, true
				syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
		if fresh {
			continue // look again: one of them may have started another just before
		}
		for _, pid := range alive {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		clear(stopped) // a number may come again
		time.Sleep(pollEvery)
	}
}

// reap collects every child, also those that were left to this process by their parents.
func reap(program int, ended chan<- syscall.WaitStatus) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // no children left
			return
		case pid == program:
			ended <- status
		}
	}
}

// descendants lists all processes below one, from the kernel's own lists of children.
func descendants(of int) ([]int, error) {
	var all []int
	for pending := []int{of}; len(pending) > 0; {
		pid := pending[0]
		pending = pending[1:]
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			if pid == of {
				return nil, fmt.Errorf("list what was started: %w", err)
			}
			continue // gone meanwhile
		}
		for _, task := range tasks {
			list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
			if err != nil {
				continue
			}
			for _, field := range strings.Fields(string(list)) {
				if child, err := strconv.Atoi(field); err == nil {
					all = append(all, child)
					pending = append(pending, child)
				}
			}
		}
	}
	return all, nil
}
