package deno

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"

	"portico/backend/extension"
)

// brokerAddress tells Deno whom to ask. From then on its flags count for nothing: what the broker does not allow is
// refused, and a broker that is gone ends the process (docs.deno.com, Permissions; measured with Deno 2.9.6).
const brokerAddress = "DENO_PERMISSION_BROKER_PATH"

// verdict says whether an access is allowed; a reason is what the tool's error says. value is empty for everything of a
// kind.
type verdict func(kind extension.Kind, value string) (allow bool, reason string)

// broker answers one worker's questions about single accesses. The worker's thread that asks stands still meanwhile.
type broker struct {
	address  string // what the worker connects to
	listener net.Listener
	release  func() // what belongs to the address
	served   chan struct{}

	mu         sync.Mutex // held while one access is judged
	judge      verdict    // nil: nothing is allowed
	connection net.Conn
	closed     bool
}

// openBroker makes an address that one worker can connect to.
func openBroker() (*broker, error) {
	address, listener, release, err := brokerListener()
	if err != nil {
		return nil, fmt.Errorf("open the permission broker: %w", err)
	}
	return &broker{address: address, listener: listener, release: release, served: make(chan struct{})}, nil
}

// serve takes the one connection and answers until it ends.
func (b *broker) serve(pid int) {
	defer close(b.served)
	connection, err := b.accept(pid)
	b.listener.Close()
	b.release()
	if err != nil {
		return
	}
	defer connection.Close()
	lines := bufio.NewReader(connection)
	for {
		line, tooLong, err := readLine(lines, maxBrokerBytes)
		if err != nil || tooLong {
			return
		}
		var asked struct {
			ID         uint32  `json:"id"`
			Permission string  `json:"permission"`
			Value      *string `json:"value"`
		}
		if json.Unmarshal(line, &asked) != nil {
			return
		}
		value := ""
		if asked.Value != nil {
			value = *asked.Value
		}
		answer := struct {
			ID     uint32 `json:"id"`
			Result string `json:"result"`
			Reason string `json:"reason,omitempty"`
		}{ID: asked.ID, Result: "deny"}
		if allow, reason := b.decide(extension.Kind(asked.Permission), value); allow {
			answer.Result = "allow"
		} else {
			answer.Reason = reason
		}
		if data, err := json.Marshal(answer); err != nil {
			return
		} else if _, err := connection.Write(append(data, '\n')); err != nil {
			return
		}
	}
}

// accept takes the worker's connection and nobody else's.
func (b *broker) accept(pid int) (net.Conn, error) {
	for {
		connection, err := b.listener.Accept()
		if err != nil {
			return nil, err
		}
		if !connectedBy(connection, pid) {
			connection.Close()
			continue
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.closed {
			connection.Close()
			return nil, net.ErrClosed
		}
		b.connection = connection
		return connection, nil
	}
}

func (b *broker) decide(kind extension.Kind, value string) (bool, string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.judge == nil {
		return false, "the call is over"
	}
	return b.judge(kind, value)
}

// use changes who judges, and returns when nothing is being judged by the one before.
func (b *broker) use(judge verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.judge = judge
}

// close ends the broker; its worker has been ended, or ends with that.
func (b *broker) close() error {
	err := b.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	b.mu.Lock()
	b.judge, b.closed = nil, true
	if b.connection != nil {
		b.connection.Close()
	}
	b.mu.Unlock()
	<-b.served
	return err
}
