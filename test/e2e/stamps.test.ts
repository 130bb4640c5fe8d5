import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked } from "./asked.js";

/* A request's receipt, its first decision and its plan stand in the log at the times at which they happened. */

beforeAll(ensureBuilt);

const FILES = { "src/reports.mjs": "export const reports = [];\n", ".gitignore": ".coordinator/\n" };

interface Stats {
  readonly criteria: readonly { readonly id: string; readonly value: number | null; readonly cases: number }[];
}

it("measures the first response of requests that were planned and of those that were not [S1-110]", async () => {
  const desk = asked(FILES, []);
  const response = () => {
    const { criteria } = desk.json("stats") as unknown as Stats;
    return criteria.find(({ id }) => id === "response_time");
  };
  // It waits for the approval of its plan: everything before that is in its log.
  expect(desk.call("run", "Fix src/reports.mjs: the list of reports must hold the yearly report").code).toBe(3);
  const log = await desk.log();
  const at = (type: string) => log.find(({ event }) => event.type === type);
  const [received, decided, frozen] = ["request_received", "intake_decided", "plan_frozen"].map(at);
  expect(received?.clock_ms).toBe(0);
  expect(decided?.clock_ms).toBeGreaterThan(0);
  expect(frozen?.clock_ms).toBeGreaterThan(decided?.clock_ms ?? Infinity);
  expect(Date.parse(decided?.at ?? "") - Date.parse(received?.at ?? "")).toBe(decided?.clock_ms);
  expect(response()?.cases).toBe(1);

  expect(desk.call("run", "make it better", "--yes").code).toBe(3);
  // A decision written down together with the receipt would be no case.
  const { cases, value } = response() ?? { cases: 0, value: null };
  expect(cases).toBe(2);
  expect(value).toBeGreaterThanOrEqual(Math.floor((decided?.clock_ms ?? 0) / 100) / 10);
});
