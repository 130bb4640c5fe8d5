// LangGraph with its SQLite checkpointer: a node for every task, an edge for every need. Its checkpointer expects
// better-sqlite3, which needs an install script; it gets the same driver as ours, behind the few calls it makes.
import { join } from "node:path";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { DatabaseSync } from "@photostructure/sqlite";

/** better-sqlite3 as far as the checkpointer uses it. Absent values are null to this driver. */
function asBetterSqlite(database) {
  const present = (values) => values.map((value) => (value === undefined ? null : value));
  return {
    pragma: (text) => database.exec(`PRAGMA ${text}`),
    exec: (text) => database.exec(text),
    prepare(text) {
      const statement = database.prepare(text);
      return {
        run: (...values) => statement.run(...present(values)),
        get: (...values) => statement.get(...present(values)) ?? undefined,
        all: (...values) => statement.all(...present(values)),
      };
    },
    transaction: (act) => (rows) => {
      database.exec("BEGIN");
      try {
        act(rows);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

const State = Annotation.Root({ done: Annotation({ reducer: (a, b) => a + b, default: () => 0 }) });

function compile(plan, checkpointer) {
  const graph = new StateGraph(State);
  const needed = new Set(plan.flatMap(({ needs }) => needs));
  for (const { id } of plan) graph.addNode(id, async () => ({ done: 1 }));
  for (const { id, needs } of plan) {
    graph.addEdge(needs.length === 0 ? START : needs.length === 1 ? needs[0] : needs, id);
    if (!needed.has(id)) graph.addEdge(id, END);
  }
  return graph.compile({ checkpointer });
}

/** As many steps for each task, one behind the other: with 4 it keeps what ours keeps. */
function stepsOf(plan, perTask) {
  const last = (id) => (perTask === 1 ? id : `${id}.${perTask - 1}`);
  return plan.flatMap(({ id, needs }) =>
    Array.from({ length: perTask }, (_, step) => ({
      id: perTask === 1 ? id : `${id}.${step}`,
      needs: step === 0 ? needs.map(last) : [`${id}.${step - 1}`],
    })),
  );
}

export const open =
  (level, perTask = 1) =>
  async (folder) => {
    const database = new DatabaseSync(join(folder, "langgraph.db"));
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${level}`);
    const checkpointer = new SqliteSaver(asBetterSqlite(database));
    // Compiled once for each plan and used for all its runs: building graphs is not what is measured.
    const graphs = new Map();
    const graphOf = (plan) => {
      if (!graphs.has(plan)) graphs.set(plan, compile(stepsOf(plan, perTask), checkpointer));
      return graphs.get(plan);
    };
    return {
      durability: `SQLite, WAL, synchronous=${level}`,
      async run(thread_id, plan) {
        const steps = stepsOf(plan, perTask);
        const { done } = await graphOf(plan).invoke(
          { done: 0 },
          { configurable: { thread_id }, recursionLimit: steps.length + 10 },
        );
        if (done !== steps.length) throw new Error(`${done} steps done`);
      },
      close: async () => database.close(),
    };
  };
