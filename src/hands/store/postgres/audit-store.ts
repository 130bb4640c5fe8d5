import type { Connections } from "./connection.js";

/*
 * The store around a log: a chain says nothing of rows that no reader ever asks for, nor of a trigger that would change
 * what is written next.
 */

/** The indexes that keep an event or an attempt from being taken twice, as the server writes them down. */
const INDEXES: readonly string[] = [
  'events_pkey UNIQUE ("position")',
  "one_event_per_place UNIQUE (run, sequence)",
  "one_start_per_attempt UNIQUE (run, task_id, attempt) WHERE (type = 'attempt_started'::text)",
  "one_end_per_attempt UNIQUE (run, task_id, attempt) WHERE (type = 'attempt_finished'::text)",
  "notes_pkey UNIQUE (run, key)",
  "runs_pkey UNIQUE (number)",
  "runs_run_id_key UNIQUE (run_id)",
];

const TABLES = "'runs', 'positions', 'events', 'notes', 'leases', 'signals'";

/** Differences from how this program keeps its store, as far as they concern the run, in sentences. Contract: changes nothing. */
export async function auditStore(connections: Connections, runId: string): Promise<string[]> {
  return [
    ...(await findLostIndexes(connections)),
    ...(await foreignActors(connections)),
    ...(await strayRows(connections)),
    ...(await hiddenRows(connections, runId)),
  ];
}

/** A store without one of them takes an event twice. Contract: throws nothing of its own. */
export async function findLostIndexes({ ask }: Connections): Promise<string[]> {
  const found = await ask<{ name: string }>(
    `SELECT c.relname || CASE WHEN i.indisunique AND i.indisvalid THEN ' UNIQUE ' ELSE ' ' END
       || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING btree ', '') AS name
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = current_schema()`,
  );
  const names = new Set(found.map(({ name }) => name));
  return INDEXES.flatMap((name) => (names.has(name) ? [] : [`The store has lost its index ${name}`]));
}

/** Triggers, rules and policies that would change or hide rows behind this program's back. */
async function foreignActors({ ask }: Connections): Promise<string[]> {
  const found = await ask<{ kind: string; name: string; relation: string }>(
    `SELECT kind, name, relation FROM (
       SELECT 'trigger' AS kind, tgname::text AS name, tgrelid AS id FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT 'rule', rulename::text, ev_class FROM pg_rewrite
       UNION ALL SELECT 'row policy', polname::text, polrelid FROM pg_policy
     ) a JOIN LATERAL (SELECT relname::text AS relation, relnamespace FROM pg_class WHERE oid = a.id) c ON true
     JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = current_schema() AND relation IN (${TABLES}) ORDER BY 1, 2`,
  );
  return found.map(({ kind, name, relation }) => `The store has a foreign ${kind} ${name} on table ${relation}`);
}

/** Rows of a run the store does not know. */
async function strayRows({ ask }: Connections): Promise<string[]> {
  const found = await ask<{ name: string; n: number }>(
    ["events", "notes"]
      .map(
        (table) =>
          `SELECT '${table}' AS name, count(*)::int AS n FROM ${table} WHERE run NOT IN (SELECT number FROM runs)`,
      )
      .join(" UNION ALL "),
  );
  return found.flatMap(({ name, n }) =>
    n === 0 ? [] : [`${n} ${n === 1 ? "row" : "rows"} of ${name} belong to no run that the store knows`],
  );
}

/** Rows of the run that no reader would come to: numbers below one or twice the same. */
async function hiddenRows({ ask }: Connections, runId: string): Promise<string[]> {
  const [row] = await ask<{ hidden: number }>(
    `SELECT (count(*) - count(DISTINCT sequence) FILTER (WHERE sequence BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}))::int AS hidden
     FROM events WHERE run = (SELECT number FROM runs WHERE run_id = $1)`,
    [runId],
  );
  const hidden = row?.hidden ?? 0;
  return hidden === 0 ? [] : [`${hidden} ${hidden === 1 ? "row has" : "rows have"} a number that no event can have`];
}
