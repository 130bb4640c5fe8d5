-- 0001: the log of events, the texts kept beside it, and which process carries out which run.
-- breaking: yes
-- Makes: runs, positions, events, notes, leases.
-- Refuses afterwards: a second event with the same place in a run; a second start or end of an attempt.

CREATE TABLE runs (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL UNIQUE
);

-- The position of the last event of the whole store, one row. Every append locks it last, so that positions are given out
-- in the order of the commits and a reader that asks for what came after a position misses nothing.
CREATE TABLE positions (
  only_row smallint PRIMARY KEY CHECK (only_row = 1),
  last bigint NOT NULL
);

INSERT INTO positions (only_row, last) VALUES (1, 0);

-- One row per event. `event` is its canonical JSON as text, which is what was hashed: jsonb would write it otherwise.
-- type, task_id and attempt repeat what it says for the two indexes below, the last two only where an attempt starts or ends.
CREATE TABLE events (
  position bigint PRIMARY KEY,
  run bigint NOT NULL REFERENCES runs (number),
  sequence bigint NOT NULL CHECK (sequence >= 1),
  at text NOT NULL,
  clock_ms double precision NOT NULL,
  type text NOT NULL,
  task_id text,
  attempt bigint,
  event text NOT NULL,
  previous_hash bytea NOT NULL CHECK (length(previous_hash) = 32),
  hash bytea NOT NULL CHECK (length(hash) = 32)
);

CREATE UNIQUE INDEX one_event_per_place ON events (run, sequence);
CREATE UNIQUE INDEX one_start_per_attempt ON events (run, task_id, attempt) WHERE type = 'attempt_started';
CREATE UNIQUE INDEX one_end_per_attempt ON events (run, task_id, attempt) WHERE type = 'attempt_finished';

-- Small texts of a run: signed checkpoints, and what was anchored.
CREATE TABLE notes (
  run bigint NOT NULL REFERENCES runs (number),
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (run, key)
);

-- Which process carries out a run, until when by the clock of this server. The holder extends it while it lives. `place`
-- names the machine and the process namespace: only who shares both can say whether the process lives.
CREATE TABLE leases (
  run bigint PRIMARY KEY REFERENCES runs (number),
  holder text NOT NULL,
  host text NOT NULL,
  place text NOT NULL,
  pid bigint NOT NULL,
  start_time text NOT NULL,
  boot_id text NOT NULL,
  since text NOT NULL,
  valid_until timestamptz NOT NULL
);
