// Package sandbox holds the code on the other side of the fence: what runs inside an extension's process.
package sandbox

import "embed"

// Files are worker.ts, which runs one call of a Loca tool, and types.ts, which it and authors share.
//
//go:embed worker.ts types.ts
var Files embed.FS
