-- 0005: how often attempts may begin with an agent.
-- breaking: no
-- Makes: agent_starts. Adds to offers: agent, per_minute.

-- Set for work of an agent that may not begin as often as there is room. An older program takes it as if there were no limit.
ALTER TABLE offers ADD COLUMN agent text, ADD COLUMN per_minute int CHECK (per_minute >= 1);

-- When workers took attempts of such agents, by the clock of the server; a row is of no use after a minute.
CREATE TABLE agent_starts (
  agent text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX agent_starts_at ON agent_starts (agent, at);
