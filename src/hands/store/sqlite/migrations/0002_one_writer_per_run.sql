-- 0002: a run has one writer, and the store has many.
-- breaking: yes
-- Makes: leases. Removes: lease.
-- An older program would take the store as a whole for itself, and must not write beside this one.

-- Which process carries out a run. An append to a run that another holder has is refused. A row whose process has ended
-- counts as absent and is replaced by the next claim.
CREATE TABLE leases (
  run INTEGER PRIMARY KEY REFERENCES runs (number),
  holder TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_time TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  since TEXT NOT NULL
) STRICT;

DROP TABLE lease;
