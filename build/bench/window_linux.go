package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	startLimit = 30 * time.Second
	// settleTime passes before memory is read, so that what a start leaves behind is gone.
	settleTime = 4 * time.Second
	stopLimit  = 5 * time.Second
	pollEvery  = 2 * time.Millisecond
)

// benchWindow measures the time from the start of the process to a usable window (Portico's is shown when the composer is
// drawn, and not before) and the memory of the whole process tree at rest, against a Wails window until its empty page is
// loaded.
func benchWindow(ctx context.Context) ([]measure, error) {
	folder, err := os.MkdirTemp("", "portico-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	empty := filepath.Join(folder, "emptywindow")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "desktop,production,webkit2_41", "-o", empty, "./build/bench/emptywindow")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build the empty window: %w", err)
	}
	display, end, err := startDisplay(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	screen, err := xgb.NewConnDisplay(display)
	if err != nil {
		return nil, fmt.Errorf("connect to display %s: %w", display, err)
	}
	defer screen.Close()

	portico, err := filepath.Abs("build/bin/portico")
	if err != nil {
		return nil, err
	}
	var started, floorStarted, memory, floorMemory []float64
	for n := range runs { // by turns, so that both see the same machine
		home := filepath.Join(folder, "home") // the first start makes the data folder; the others are a person's usual start
		t, m, err := startWindow(ctx, screen, display, byWindow, n == runs-1, portico, "PORTICO_HOME="+home)
		if err != nil {
			return nil, fmt.Errorf("start Portico's window: %w", err)
		}
		ft, fm, err := startWindow(ctx, screen, display, byLine, n == runs-1, empty)
		if err != nil {
			return nil, fmt.Errorf("start the empty window: %w", err)
		}
		started, floorStarted = append(started, t), append(floorStarted, ft)
		if n == runs-1 {
			memory, floorMemory = append(memory, m), append(floorMemory, fm)
		}
	}
	return []measure{
		{"window-start", median(started), median(floorStarted), "ms", 1.5, "from process start to a usable composer, against an empty Wails window"},
		{"memory-idle", memory[0], floorMemory[0], "MB", 1.4, "proportional set size of all processes at rest, against an empty Wails window"},
	}, nil
}

// startDisplay starts an X server of its own, on a number it chooses itself.
func startDisplay(ctx context.Context) (display string, end func(), err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	defer read.Close()
	server := exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-screen", "0", "1400x900x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{write}
	if err := server.Start(); err != nil {
		return "", nil, fmt.Errorf("start Xvfb: %w", err)
	}
	write.Close()
	end = func() {
		server.Process.Signal(syscall.SIGTERM)
		server.Wait()
	}
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		end()
		return "", nil, fmt.Errorf("start Xvfb: %w", err)
	}
	return ":" + strings.TrimSpace(number), end, nil
}

// readiness is how a program tells that it is ready.
type readiness int

const (
	byWindow readiness = iota // its window is on the screen
	byLine                    // it prints a line
)

// startWindow starts a program, waits until it is ready, and ends it with its whole process group.
func startWindow(ctx context.Context, screen *xgb.Conn, display string, by readiness, measureMemory bool, path string, env ...string) (startMs, memoryMB float64, err error) {
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = append(os.Environ(), append(env, "DISPLAY="+display, "WAYLAND_DISPLAY=", "GDK_BACKEND=x11", "NO_AT_BRIDGE=1")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer end(cmd, screen)
	ready := make(chan error, 1)
	go func() { // ends with the program, whose output ends with it
		if by == byLine {
			_, err := bufio.NewReader(out).ReadString('\n')
			ready <- err
			return
		}
		ready <- awaitWindow(screen, begin.Add(startLimit))
	}()
	select {
	case err = <-ready:
	case <-time.After(startLimit):
		err = fmt.Errorf("not ready after %s", startLimit)
	}
	if err != nil {
		return 0, 0, err
	}
	startMs = milliseconds(time.Since(begin))
	if measureMemory {
		time.Sleep(settleTime)
		memoryMB, err = treePSS(cmd.Process.Pid)
	}
	return startMs, memoryMB, err
}

func awaitWindow(screen *xgb.Conn, until time.Time) error {
	for time.Now().Before(until) {
		windows, err := visible(screen)
		if err != nil || windows > 0 {
			return err
		}
		time.Sleep(pollEvery)
	}
	return errors.New("no window came")
}

// end asks the program to end, then ends it, and waits until its windows are gone.
func end(cmd *exec.Cmd, screen *xgb.Conn) {
	exited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(exited)
	}()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-exited:
	case <-time.After(stopLimit):
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-exited
	}
	for windows, err := visible(screen); err == nil && windows > 0; windows, err = visible(screen) {
		time.Sleep(pollEvery)
	}
}

// visible counts the windows that are mapped and larger than GTK's own helpers (10 by 10 and 1 by 1).
func visible(screen *xgb.Conn) (int, error) {
	root := xproto.Setup(screen).DefaultScreen(screen).Root
	tree, err := xproto.QueryTree(screen, root).Reply()
	if err != nil {
		return 0, fmt.Errorf("list the windows: %w", err)
	}
	count := 0
	for _, window := range tree.Children {
		attributes, err := xproto.GetWindowAttributes(screen, window).Reply()
		if err != nil || attributes.MapState != xproto.MapStateViewable {
			continue // it may have gone meanwhile
		}
		if size, err := xproto.GetGeometry(screen, xproto.Drawable(window)).Reply(); err == nil && size.Width > 100 {
			count++
		}
	}
	return count, nil
}

// treePSS adds the proportional set size of a process and all its descendants, in MB (10^6 bytes).
func treePSS(root int) (float64, error) {
	parents := map[int]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		parents[pid], _ = strconv.Atoi(fields[1])
	}
	total := 0.0
	for pid := range parents {
		for at := pid; at > 1; at = parents[at] {
			if at != root {
				continue
			}
			kB, err := pss(pid)
			if err != nil {
				return 0, err
			}
			total += kB * 1024 / 1e6
			break
		}
	}
	return total, nil
}

func pss(pid int) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "Pss:"); ok {
			return strconv.ParseFloat(strings.Fields(value)[0], 64)
		}
	}
	return 0, fmt.Errorf("process %d names no Pss", pid)
}
