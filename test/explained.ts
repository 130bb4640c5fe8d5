import { expect } from "vitest";
import { explainRun, idsOfRun } from "../src/app/inspect/explain/explain-run.js";
import type { LoggedEvent } from "../src/model/event.js";

/** Every event of a whole run is explained: by which rule or person, and what else could have been decided. */
export function expectExplained(log: readonly LoggedEvent[]): void {
  for (const id of idsOfRun(log)) expect(explainRun(id, log)?.why.join(" ").trim() ?? "", id).not.toBe("");
  for (const id of idsOfRun(log).filter((one) => one.startsWith("model:")))
    expect(explainRun(id, log)?.alternatives, id).not.toEqual([]);
  for (const { sequence, event } of log) {
    const told = explainRun(String(sequence), log);
    const about = `${event.type}, event ${sequence}`;
    expect(told?.why.join(" ").trim(), about).not.toBe("");
    expect(told?.alternatives, about).not.toEqual([]);
    expect(JSON.stringify([told?.why, told?.alternatives, told?.evidence]), about).not.toMatch(
      /\bundefined\b|\bNaN\b|\[object|does not know such an event/,
    );
  }
}
