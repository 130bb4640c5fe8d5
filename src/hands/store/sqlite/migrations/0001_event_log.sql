-- 0001: the log of events, the texts kept beside it, and who writes.
-- breaking: yes
-- Makes: runs, events, notes, lease.
-- Refuses afterwards: a second event with the same place in a run; a second start or end of an attempt.

CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE
) STRICT;

-- One row per event. `event` is its canonical JSON, which is what was hashed; type, task_id and attempt repeat what it
-- says for the two indexes below, the last two only where an attempt starts or ends.
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (number),
  sequence INTEGER NOT NULL CHECK (sequence >= 1),
  at TEXT NOT NULL,
  clock_ms REAL NOT NULL,
  type TEXT NOT NULL,
  task_id TEXT,
  attempt INTEGER,
  event TEXT NOT NULL,
  previous_hash BLOB NOT NULL CHECK (length(previous_hash) = 32),
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE UNIQUE INDEX one_event_per_place ON events (run, sequence);
CREATE UNIQUE INDEX one_start_per_attempt ON events (run, task_id, attempt) WHERE type = 'attempt_started';
CREATE UNIQUE INDEX one_end_per_attempt ON events (run, task_id, attempt) WHERE type = 'attempt_finished';

-- Small texts of a run: signed checkpoints, and what was anchored.
CREATE TABLE notes (
  run INTEGER NOT NULL REFERENCES runs (number),
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

-- Who writes, one row. A writer that finds another holder here has lost the store and writes no more. `beat` only
-- ever grows, with each holder.
CREATE TABLE lease (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  holder TEXT NOT NULL,
  beat INTEGER NOT NULL
) STRICT;

INSERT INTO lease (only_row, holder, beat) VALUES (1, '', 0);
