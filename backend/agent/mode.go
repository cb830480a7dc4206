package agent

import (
	"portico/backend/extension"
	"portico/backend/session"
)

// gate is what a mode does with a call.
type gate int

const (
	open      gate = iota
	confirmed      // the person is asked first
	shut
)

// gateOf decides about a call from the mode and what the tool does; grants are asked later. A mode only narrows. why is
// for a gate that is shut.
func gateOf(mode session.Mode, tool extension.Tool, nobody bool) (g gate, why *extension.Problem) {
	switch mode {
	case session.Plan:
		if tool.Effect != extension.ReadsOnly {
			return shut, extension.NewProblem("call.plan-mode", "{tool} was not run: the session is in plan mode, in which nothing is written, run or sent.",
				"Only tools that read can be used now. Say what you would do, and let the person switch the mode.", "tool", tool.Title())
		}
	case session.Interactive:
		if nobody {
			return shut, extension.NewProblem("call.nobody", "{tool} was not run: in interactive mode a person confirms each call, and nobody is here.", "Do without it.", "tool", tool.Title())
		}
		return confirmed, nil
	}
	return open, nil
}
