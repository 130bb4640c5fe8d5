import type { LiveRun } from "../../hands/engine/carry-out.js";
import type { EventOf, RunEvent } from "../../model/event.js";
import type { ExecuteOptions } from "./execute-options.js";

/** Attempts and sessions that are adopted may speak before the run is there to hear them. */
export function lateReporter({ runId, store, state }: Pick<ExecuteOptions, "runId" | "store" | "state">) {
  let live: LiveRun | null = null;
  let bind: (to: LiveRun) => void = () => undefined;
  const there = new Promise<LiveRun>((resolve) => (bind = resolve));
  const early: RunEvent[] = [];
  // An event that comes too late is refused; a store that fails is told by the run itself.
  const send = (to: LiveRun, event: RunEvent) => void to.signal(event).catch(() => undefined);
  const isCounted = async (purpose: string) => {
    for await (const { event } of store.read(runId))
      if (event.type === "coordination_used" && event.purpose === purpose) return true;
    return false;
  };
  return {
    state: () => live?.state() ?? state,
    report: (event: RunEvent) => void (live === null ? early.push(event) : send(live, event)),
    /** Counted once, however often a crash made somebody ask again: the purpose says which session it was. */
    count: async (event: EventOf<"coordination_used">) => {
      const to = await there;
      if (!(await isCounted(event.purpose))) await to.signal(event);
    },
    isCounted,
    /** Contract: in the log when it resolves with null; else why it was not taken. */
    ask: async (event: RunEvent): Promise<string | null> => (await there).signal(event),
    bind: async (to: LiveRun, first: RunEvent) => {
      await to.signal(first);
      live = to;
      bind(to);
      for (const event of early.splice(0)) send(to, event);
    },
  };
}
