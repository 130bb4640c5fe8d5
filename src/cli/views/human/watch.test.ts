import { describe, expect, it } from "vitest";
import type { RunOverview } from "../../../app/inspect/overview.js";
import { redrawWatcher } from "./watch.js";

const NOTHING = { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 };
const overview = {
  run_id: "run_20260203-040506-abcdef",
  request_id: null,
  request: `Document the colours ${"日本".repeat(40)}`,
  status: "in_progress",
  phase: "execution",
  reason: "",
  paused: null,
  plan_id: "plan_x",
  plan_checksum: "x",
  started_at: "2026-02-03T04:05:06.000Z",
  updated_at: "2026-02-03T04:05:06.000Z",
  events: 3,
  tasks: { total: 0, done: 0, running: 0, waiting: 0, failed: 0 },
  levels: [],
  running: [],
  needs_you: [],
  failed: [],
  spend: { used: NOTHING, reserved: NOTHING, estimated: NOTHING, budget: null },
  requirements: null,
  critical_path: { minutes: 0, tasks: [] },
  coordination: { tokens: 0, share: 0, within: true },
  open_breakers: [],
  last_words: [],
} as unknown as RunOverview;

/** How a terminal shows it: as many lines as it takes at this width. */
function drawnOn(width: { columns: number; rows: number }) {
  const written: string[] = [];
  const stop = new AbortController();
  const watcher = redrawWatcher(
    { write: async (text) => void written.push(text) },
    { color: false },
    () => width,
    stop.signal,
  );
  const lines = (text: string) => text.split("\n").length - 1;
  // oxlint-disable-next-line no-control-regex -- looks for what moves the cursor
  const up = (text: string) => Number(/^\u001b\[(\d+)A/.exec(text)?.[1] ?? 0);
  return { watcher, written, lines, up, stop };
}

const at = (second: number) => `2026-02-03T04:05:${String(second).padStart(2, "0")}.000Z`;

describe("a picture drawn over itself", () => {
  it("goes on counting while nothing happens, once a second", async () => {
    const { watcher, written } = drawnOn({ columns: 80, rows: 24 });
    await watcher.state(overview, at(10), 7);
    await watcher.quiet(at(10), 7);
    expect(written).toHaveLength(1);
    await watcher.quiet(at(42), 7);
    expect(written).toHaveLength(2);
    expect(written[0]).toContain("started 4 s ago");
    expect(written[1]).toContain("started 36 s ago");
    // Somebody else works on it now, or nobody does: that is told at once.
    await watcher.quiet(at(42), null);
    expect(written).toHaveLength(3);
  });

  it("is found again after the window was made narrower, and wide letters count twice", async () => {
    const size = { columns: 120, rows: 40 };
    const { watcher, written, lines, up } = drawnOn(size);
    await watcher.state(overview, at(10), 7);
    const [first = ""] = written;
    // oxlint-disable-next-line no-control-regex -- looks for what clears a line
    const widths = first.replaceAll(/\u001b\[\d+[KJA]/g, "").split("\n");
    for (const line of widths)
      expect(Array.from(line).reduce((sum, sign) => sum + (/[日本]/.test(sign) ? 2 : 1), 0)).toBeLessThan(120);
    await watcher.state(overview, at(11), 7);
    expect(up(written[1] ?? "")).toBe(lines(first));
    size.columns = 40;
    await watcher.state(overview, at(12), 7);
    expect(up(written[2] ?? "")).toBeGreaterThan(lines(written[1] ?? ""));
    await watcher.state(overview, at(13), 7);
    expect(up(written[3] ?? "")).toBe(lines(written[2] ?? ""));
  });

  it("is drawn below what whoever interrupts is told", async () => {
    const { watcher, written, up, stop } = drawnOn({ columns: 80, rows: 24 });
    await watcher.state(overview, at(10), 7);
    stop.abort();
    await watcher.state(overview, at(11), 7);
    expect(up(written[1] ?? "")).toBe(0);
  });
});
