package schema

import (
	"encoding/json"

	"portico/backend/extension"
)

// Arguments gives a call's arguments with their defaults filled. Those that break the tool's schema are a Problem
// "call.bad-arguments" with every broken place; address is how the person names the tool.
func Arguments(tool extension.Tool, address string, args json.RawMessage) (json.RawMessage, error) {
	compiled, err := Compile(tool.Schema)
	if err != nil {
		return nil, err
	}
	filled, issues := compiled.Check(args)
	if len(issues) > 0 {
		p := extension.NewProblem("call.bad-arguments", "The arguments don't fit {tool}.", "Correct what is listed and run it again.", "tool", address)
		p.Issues = issues
		return nil, p
	}
	return filled, nil
}
