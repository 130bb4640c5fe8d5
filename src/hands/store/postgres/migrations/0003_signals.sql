-- 0003: decisions of people on their way to runs, so that they reach the machine that carries a run out.
-- breaking: no
-- Makes: signals.

-- A signal is left here by whoever decides, judged by the process that carries out its run (or by the sender, when none does),
-- and taken away when the sender has read the verdict.
CREATE TABLE signals (
  signal_id text COLLATE "C" PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL,
  left_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  signal text NOT NULL CHECK (length(signal) <= 1048576),
  verdict text,
  judged_at timestamptz
);

CREATE INDEX signals_left ON signals (left_at, signal_id) WHERE verdict IS NULL;
