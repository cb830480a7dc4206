package confine

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func inForce() Level {
	return Level{"partial", "a restricted token and a job: no new privileges, ended as a whole; files by Deno's own permissions"}
}

// Start starts a child with a restricted token in a job that ends with this process: closing the job's last handle ends
// all that is in it, grandchildren included.
func Start(policy Policy, c Command) (*Process, error) {
	job, err := newJob(policy.Limits)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	token, err := restrictedToken()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", c.Path, err), windows.CloseHandle(job))
	}
	defer token.Close()
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	// Suspended until it is in the job: nothing it starts can come before that.
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, Token: syscall.Token(token), CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
	stdio, err := openStreams(cmd)
	if err == nil {
		if err = cmd.Start(); err != nil {
			stdio.failed()
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", c.Path, err), windows.CloseHandle(job))
	}
	stdio.started(c.Stderr)
	held := &heldJob{handle: job}
	p := &Process{Stdin: stdio.in, Stdout: stdio.out, Pid: cmd.Process.Pid, exited: make(chan struct{}), kill: held.end}
	if err := enterJob(job, uint32(p.Pid)); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", c.Path, err), cmd.Process.Kill(), cmd.Wait(), held.close(), p.Close())
	}
	go func() { // ends with the child
		err := cmd.Wait()
		held.end()
		stdio.ended()
		p.err = errors.Join(err, held.close())
		close(p.exited)
	}()
	return p, nil
}

// heldJob is a job for as long as its handle is surely its own.
type heldJob struct {
	mu     sync.Mutex
	handle windows.Handle
}

func (j *heldJob) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		windows.TerminateJobObject(j.handle, 1)
	}
}

func (j *heldJob) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	handle := j.handle
	j.handle = 0
	return windows.CloseHandle(handle)
}

func newJob(limits Limits) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("make a job: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	if limits.DataBytes > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(limits.DataBytes)
	}
	if limits.CPUSeconds > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_TIME
		info.BasicLimitInformation.PerJobUserTimeLimit = int64(limits.CPUSeconds) * 10_000_000 // 100 ns
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("limit the job: %w", err), windows.CloseHandle(job))
	}
	return job, nil
}

// disableMaxPrivilege is DISABLE_MAX_PRIVILEGE of CreateRestrictedToken.
const disableMaxPrivilege = 0x1

var createRestrictedToken = windows.NewLazySystemDLL("advapi32.dll").NewProc("CreateRestrictedToken")

// restrictedToken is ours without any privilege.
func restrictedToken() (windows.Token, error) {
	var own, restricted windows.Token
	err := windows.OpenProcessToken(windows.CurrentProcess(), windows.TOKEN_DUPLICATE|windows.TOKEN_ASSIGN_PRIMARY|windows.TOKEN_QUERY|windows.TOKEN_ADJUST_DEFAULT, &own)
	if err != nil {
		return 0, fmt.Errorf("open our own token: %w", err)
	}
	defer own.Close()
	done, _, err := createRestrictedToken.Call(uintptr(own), disableMaxPrivilege, 0, 0, 0, 0, 0, 0, uintptr(unsafe.Pointer(&restricted)))
	if done == 0 {
		return 0, fmt.Errorf("restrict a token: %w", err)
	}
	return restricted, nil
}

// enterJob puts a suspended process into the job and lets it run.
func enterJob(job windows.Handle, pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, pid)
	if err != nil {
		return fmt.Errorf("open the process: %w", err)
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return fmt.Errorf("put the process into its job: %w", err)
	}
	return resume(pid)
}

// resume lets the threads of a process run that was created suspended: os/exec keeps no handle of them.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list the threads: %w", err)
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open a thread: %w", err)
		}
		_, err = windows.ResumeThread(thread)
		windows.CloseHandle(thread)
		if err != nil {
			return fmt.Errorf("let the process run: %w", err)
		}
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return fmt.Errorf("list the threads: %w", err)
	}
	return nil
}
