-- Times are milliseconds since 1970, UTC.

-- +goose Up
CREATE TABLE schedules (
    id          TEXT PRIMARY KEY,
    owner       TEXT NOT NULL, -- the key of the extension that proposed it; empty: the person
    owner_name  TEXT NOT NULL, -- its name, for when it is gone
    project     TEXT NOT NULL, -- of the sessions it starts
    title       TEXT NOT NULL,
    instruction TEXT NOT NULL,
    run_missed  INTEGER NOT NULL,
    recurrence  TEXT NOT NULL, -- JSON
    paused      INTEGER NOT NULL,
    due         INTEGER,       -- the next time, or NULL: there is none
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    deleted     INTEGER        -- when, or NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (due) WHERE deleted IS NULL AND paused = 0 AND due IS NOT NULL;
CREATE INDEX schedules_owner ON schedules (owner) WHERE deleted IS NULL;

-- The id gives the order: the clock may be set back.
CREATE TABLE schedule_runs (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    cause    TEXT NOT NULL,
    state    TEXT NOT NULL,
    process  TEXT NOT NULL, -- the one that runs it
    due      INTEGER,       -- the due time it stands for; NULL: the person's wish
    missed   INTEGER NOT NULL,
    started  INTEGER NOT NULL,
    ended    INTEGER,
    session  TEXT NOT NULL, -- what it opened; empty: nothing
    problem  TEXT NOT NULL  -- JSON, or empty
) STRICT;
CREATE INDEX schedule_runs_by_schedule ON schedule_runs (schedule, id);
CREATE INDEX schedule_runs_started ON schedule_runs (process) WHERE state = 'started';
