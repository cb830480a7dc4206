package confine_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"portico/backend/confine"
)

// program32 is a 32-bit program that makes a datagram socket and ends with code 0 when it got one.
func program32(t *testing.T) string {
	t.Helper()
	const base, headers = 0x08048000, 52 + 32
	code := []byte{
		0xb8, 102, 0, 0, 0, // eax: socketcall
		0xbb, 1, 0, 0, 0, // ebx: socket
		0xb9, 0, 0, 0, 0, // ecx: its arguments, filled in below
		0xcd, 0x80, // call
		0x89, 0xc3, // ebx: the answer
		0xc1, 0xfb, 31, // its sign: 0, or -1 for an error
		0xb8, 1, 0, 0, 0, // eax: exit
		0xcd, 0x80, // call
		0xeb, 0xfe, // for ever, when not even that is possible
	}
	arguments := uint32(base + headers + len(code))
	binary.LittleEndian.PutUint32(code[11:], arguments)
	var b bytes.Buffer
	write := func(values ...any) {
		for _, value := range values {
			if err := binary.Write(&b, binary.LittleEndian, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	size := uint32(headers + len(code) + 12)
	write([16]byte{0x7f, 'E', 'L', 'F', 1, 1, 1}, uint16(2), uint16(3), uint32(1), uint32(base+headers), uint32(52), uint32(0), uint32(0), uint16(52), uint16(32), uint16(1), uint16(0), uint16(0), uint16(0))
	write(uint32(1), uint32(0), uint32(base), uint32(base), size, size, uint32(5), uint32(0x1000))
	write(code, uint32(2), uint32(2), uint32(0)) // AF_INET, SOCK_DGRAM
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, b.Bytes(), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCallsOfAnotherArchitectureAreRefused(t *testing.T) {
	program := program32(t)
	free := exec.Command(program).Run() // a kernel without 32-bit programs refuses it by itself
	policy := confine.Policy{Exec: []string{program}, Limits: confine.Limits{CPUSeconds: 1}}
	p, err := confine.Start(policy, confine.Command{Path: program, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Wait(); err == nil {
		t.Errorf("it made a socket past the filter (unconfined: %v)", free)
	}
	if free != nil {
		t.Logf("unconfined: %v", free)
	}
}
