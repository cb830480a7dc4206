-- Times are milliseconds since 1970, UTC.

-- +goose Up
PRAGMA application_id = 0x506F7274; -- "Port": tells this file from another program's database

CREATE TABLE sessions (
    id            TEXT PRIMARY KEY,
    title         TEXT NOT NULL,
    project       TEXT NOT NULL,
    mode          TEXT NOT NULL,
    model         TEXT NOT NULL,
    created       INTEGER NOT NULL,
    updated       INTEGER NOT NULL,
    draft         TEXT NOT NULL,
    scroll_entry  TEXT NOT NULL,
    scroll_offset REAL NOT NULL,
    last_seq      INTEGER NOT NULL, -- the highest ever given: a number is not given twice, also when its entry is gone
    deleted       INTEGER           -- when, or NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_update ON sessions (updated) WHERE deleted IS NULL;

-- The text has a column of its own, so that a stream saves it without writing the rest again.
CREATE TABLE entries (
    id      TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,
    turn    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    state   TEXT NOT NULL,
    parent  TEXT NOT NULL,
    created INTEGER NOT NULL,
    owner   TEXT NOT NULL, -- the process that finishes it
    text    TEXT NOT NULL,
    body    TEXT NOT NULL, -- JSON: what its kind has beside the text
    UNIQUE (session, seq)
) STRICT;
CREATE INDEX entries_unfinished ON entries (owner) WHERE state IN ('open', 'running');

CREATE TABLE turns (
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    turn    TEXT NOT NULL,
    owner   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
    scope    TEXT NOT NULL,
    project  TEXT NOT NULL,
    format   TEXT NOT NULL,
    id       TEXT NOT NULL,
    tool     TEXT NOT NULL,
    key      TEXT NOT NULL,
    decision TEXT NOT NULL,
    PRIMARY KEY (scope, project, format, id, tool, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_switches (
    scope   TEXT NOT NULL,
    project TEXT NOT NULL,
    format  TEXT NOT NULL,
    id      TEXT NOT NULL,
    tool    TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    PRIMARY KEY (scope, project, format, id, tool)
) STRICT, WITHOUT ROWID;

-- Fingerprints that the person confirmed on this computer.
CREATE TABLE confirmed (
    scope   TEXT NOT NULL,
    project TEXT NOT NULL,
    format  TEXT NOT NULL,
    id      TEXT NOT NULL,
    sha256  TEXT NOT NULL,
    PRIMARY KEY (scope, project, format, id, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value ANY NOT NULL -- JSON
) STRICT, WITHOUT ROWID;
