import { expect, it } from "vitest";
import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { step } from "../../mind/run/transition.js";
import { NEW_RUN } from "../../mind/run/state.js";
import { amounts, opening, planRef, runTask } from "../../testing/run-fixtures.js";
import { createRunFold } from "./fold-run.js";
import { openEntries } from "./open-entries.js";

/** The entries that wait after these events and all that follows from them. */
function entriesAfter(events: readonly RunEvent[]) {
  const fold = createRunFold("run_1");
  let state = NEW_RUN;
  let sequence = 0;
  for (const event of events) {
    const moved = step(state, event, sequence);
    state = moved.state;
    for (const each of moved.events)
      fold.take({ run_id: "run_1", sequence: ++sequence, at: "", clock_ms: sequence, event: each } as LoggedEvent);
  }
  return openEntries(fold.now(), true);
}

const asks = (network: readonly string[]): RunEvent => ({
  type: "attempt_finished",
  task_id: "A",
  attempt: 1,
  usage: { amounts: amounts(1), source: "reported" },
  outcome: {
    kind: "scope_request",
    request: { write: network.length === 0 ? ["src/b.ts"] : [], commands: [], network: [...network] },
    message: "it needs more",
  },
});
const graded = (logins: readonly { agent: string; files: string[] }[]): RunEvent => ({
  type: "sandbox_graded",
  grade: "strong",
  reason: "",
  by_order: false,
  ...(logins.length === 0 ? {} : { logins: [...logins] }),
});
const begun = opening(planRef([runTask("A")]), { plan_needs_approval: false });
const CLAUDE = { agent: "claude", files: [".claude/.credentials.json"] };

it("says of a host that is asked for which logins could go there, and nothing where none could", () => {
  const about = (events: readonly RunEvent[]) => entriesAfter([...begun, ...events]).map((entry) => entry.about);
  expect(about([graded([CLAUDE]), asks(["files.example.org"])])).toEqual([
    "A asks for a wider scope: it needs more. These can read a login of yours, and could send it to files.example.org: claude (~/.claude/.credentials.json)",
  ]);
  expect(about([graded([CLAUDE]), asks([])])).toEqual(["A asks for a wider scope: it needs more"]);
  expect(about([graded([]), asks(["files.example.org"])])).toEqual(["A asks for a wider scope: it needs more"]);
});
