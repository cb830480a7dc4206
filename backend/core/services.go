package core

import "portico/backend/capability"

// services gives what tools reach beyond their sandbox.
func (c *Core) services() capability.Services {
	return capability.Services{
		Memories: c.memories.Service(), Speaker: c.voice, Transcriber: c.voice, Schedules: c.schedules, Databases: c.databases.Of,
		Completer: func(call capability.Call) capability.Completer { return completer{c, call.Session} },
	}
}
