// Package runtime runs extension code. A runtime starts an extension and gives an instance; what an instance can do
// beyond tools is a small optional interface, asserted where it is used.
package runtime

import (
	"context"
	"encoding/json"

	"portico/backend/capability"
	"portico/backend/extension"
)

// Runtime starts extensions of one kind. Start is cheap: code runs when it is first needed.
type Runtime interface {
	Start(ctx context.Context, ext *extension.Copy, host capability.Host) (Instance, error)
}

// Instance is one running extension. It is safe for concurrent use. Crashes, hangs and floods end in a failed call (an
// error that is a *extension.Problem) and the next call works; they never end in a stuck turn.
type Instance interface {
	// Tools lists what may be called now.
	Tools() []extension.Tool
	// Changed is signalled (never closed before Stop) when Tools may give something else.
	Changed() <-chan struct{}
	// Call runs one tool with arguments that were checked against its schema. The result is valid JSON. Cancelling ctx
	// cancels the call. Call returns when its process tree is gone, or runs no more code because it has been killed.
	Call(ctx context.Context, call capability.Call, tool string, args json.RawMessage) (json.RawMessage, error)
	// Warm prepares for a call of the tool, within the runtime's bounds. It returns at once.
	Warm(call capability.Call, tool string)
	// Refresh tells that grants or settings changed: nothing prepared under the old ones is used again.
	Refresh()
	// Health is nil while all is well.
	Health() *extension.Problem
	// Stop ends every process of the instance, and returns when they are gone.
	Stop(ctx context.Context) error
}
