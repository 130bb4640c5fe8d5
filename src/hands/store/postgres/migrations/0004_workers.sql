-- 0004: workers, and the work they are offered.
-- breaking: no
-- Makes: workers, offers, offer_notes.

-- The processes that do work for runs of other machines. A row is valid for some seconds and extended by its process; one that is not
-- extended any more stands for a worker that is gone, and what it had taken is offered again.
CREATE TABLE workers (
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL,
  pid bigint NOT NULL,
  version text NOT NULL,
  protocol text NOT NULL,
  -- What it can do: its labels, the classes of data it accepts, its sandbox, the programs it has and lacks.
  abilities jsonb NOT NULL,
  capacity int NOT NULL CHECK (capacity >= 1),
  draining boolean NOT NULL DEFAULT false,
  problem text,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  valid_until timestamptz NOT NULL
);

-- One row for each effect that a run asks of workers; `key` is the id of its workflow. `taken_by` is null while nobody has it.
CREATE TABLE offers (
  key text COLLATE "C" PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL,
  effect_id text NOT NULL,
  -- How often the effect was cancelled before and asked for again.
  round int NOT NULL,
  protocol text NOT NULL,
  -- What a worker must have, as canonical JSON.
  needs text NOT NULL,
  -- The smallest first.
  priority int NOT NULL,
  work text NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  taken_by text COLLATE "C",
  taken_at timestamptz,
  times_taken int NOT NULL DEFAULT 0,
  cancelled_at timestamptz,
  done_at timestamptz,
  UNIQUE (run_id, effect_id, round)
);

CREATE INDEX open_offers ON offers (priority, asked_at) WHERE taken_by IS NULL AND done_at IS NULL AND cancelled_at IS NULL;

-- What a worker tells of its work on the way, for the process that carries out the run.
CREATE TABLE offer_notes (
  key text COLLATE "C" NOT NULL REFERENCES offers (key) ON DELETE CASCADE,
  number bigint GENERATED ALWAYS AS IDENTITY,
  note text NOT NULL,
  PRIMARY KEY (key, number)
);
