-- 0002: records of runs, so that every machine can show and verify them.
-- breaking: no
-- Makes: records.

-- What stands beside a log because it is too large for it. The log names each record by its checksum. A record that is too
-- large for the store has no content here and is kept by the machine that made it.
CREATE TABLE records (
  run_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  checksum bytea NOT NULL CHECK (length(checksum) = 32),
  content bytea CHECK (sha256(content) = checksum),
  PRIMARY KEY (run_id, name)
);
