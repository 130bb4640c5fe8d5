// Every engine that is measured, by its name: how it is loaded (in its own process only), on which workloads, and how
// often when that is not as often as the others.
const SMALL = ["layered-300", "runs-100"];
const DISTINCT = ["layered-300", "runs-100", "runs-1000", "chain-200"];

async function floor(what) {
  const { open, ...events } = await import("./floor.mjs");
  return open(events[what]);
}

export const ENGINES = {
  ours: { load: async () => (await import("./ours.mjs")).open, workloads: DISTINCT },
  "floor: 1 event a task": { load: () => floor("ONE_EVENT"), workloads: DISTINCT },
  "floor: 5 events in 2 commits a task": { load: () => floor("AS_OURS"), workloads: DISTINCT },
  "LangGraph 1.4 + SQLite": { load: async () => (await import("./langgraph.mjs")).open("NORMAL"), workloads: DISTINCT },
  "LangGraph 1.4 + SQLite, FULL": {
    load: async () => (await import("./langgraph.mjs")).open("FULL"),
    workloads: SMALL,
  },
  "LangGraph 1.4 + SQLite, 4 steps a task": {
    load: async () => (await import("./langgraph.mjs")).open("NORMAL", 4),
    workloads: SMALL,
  },
  "DBOS 5.3, queued, Postgres": {
    load: async () => (await import("./dbos.mjs")).open,
    workloads: ["layered-300", "runs-100", "chain-200"],
    rounds: 1, // Minutes each, and the figure is an order of magnitude away.
    needs: "postgres",
  },
  "XState 5, a snapshot an event": { load: async () => (await import("./xstate.mjs")).open, workloads: DISTINCT },
};
