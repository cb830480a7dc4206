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

// What a tool may start altogether. A limit of the kernel's holds each process; nothing but the supervisor sees them all.
const (
	watchEvery   = 50 * time.Millisecond
	maxProcesses = 256 // at the same time; a compiler or a browser needs some dozens
	treeFactor   = 2   // all together may hold so many times what one may
)

// exitTooMuch is how the supervisor ends when it ended what was started because that had become too much.
const exitTooMuch = 124

func notify(stop chan<- os.Signal) {
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
}

// endWith waits for the program or the order to stop, ends every descendant, and exits as the program did.
func endWith(program int, stop <-chan os.Signal, dataBytes uint64) error {
	ended := make(chan syscall.WaitStatus, 1)
	go reap(program, ended)
	var status syscall.WaitStatus
	asked, tooMuch := false, ""
	watch := time.NewTicker(watchEvery)
	for done := false; !done; {
		select {
		case status = <-ended:
			done = true
		case <-stop:
			asked, done = true, true
		case <-watch.C:
			tooMuch = excess(dataBytes)
			done = tooMuch != ""
		}
	}
	watch.Stop()
	if tooMuch != "" {
		fmt.Fprintln(os.Stderr, "portico-confine: "+tooMuch)
	}
	if err := endAll(); err != nil {
		return err
	}
	switch {
	case tooMuch != "":
		os.Exit(exitTooMuch)
	case asked:
		os.Exit(128 + int(syscall.SIGTERM))
	case status.Signaled():
		signal.Reset()
		unix.Kill(os.Getpid(), status.Signal()) // end as it ended
	}
	os.Exit(status.ExitStatus())
	return nil
}

// excess says what is too much of all that was started; empty when nothing is.
func excess(dataBytes uint64) string {
	alive, err := descendants(os.Getpid(), func(int) {})
	if err != nil {
		return "" // the end of it all meets the same error
	}
	if len(alive) > maxProcesses {
		return fmt.Sprintf("more than %d processes at the same time", maxProcesses)
	}
	if dataBytes == 0 || len(alive) <= treeFactor { // each is held by a limit of its own
		return ""
	}
	held := uint64(0)
	for _, pid := range alive {
		held += private(pid)
	}
	if most := treeFactor * dataBytes; held > most {
		return fmt.Sprintf("its processes needed more memory than the %d MB they may have", most>>20)
	}
	return ""
}

// private is the memory that a process holds for itself; what it shares with others, files among them, counts for nobody.
func private(pid int) uint64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, resident, shared uint64
	if _, err := fmt.Sscan(string(data), &size, &resident, &shared); err != nil || shared > resident {
		return 0
	}
	return (resident - shared) * uint64(os.Getpagesize())
}

// endAll ends every descendant. They are stopped before they are ended: what keeps starting others can't outrun that. Each
// is stopped as soon as it is seen, so that a bomb leaves more of the computer to this process with every step.
func endAll() error {
	stopped := map[int]bool{}
	for {
		fresh := false
		alive, err := descendants(os.Getpid(), func(pid int) {
			if !stopped[pid] {
				fresh, stopped[pid] = true, true
				syscall.Kill(pid, syscall.SIGSTOP)
			}
		})
		if err != nil {
			return err
		}
		if len(alive) == 0 {
			return nil
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

// descendants lists all processes below one, from the kernel's own lists of children, and shows each as soon as it is seen.
func descendants(of int, seen func(pid int)) ([]int, error) {
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
					seen(child)
					all = append(all, child)
					pending = append(pending, child)
				}
			}
		}
	}
	return all, nil
}
