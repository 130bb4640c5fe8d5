import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "../../model/event.js";
import { NotifySettings } from "../../model/settings/record-config.js";
import { noticesOf } from "../../mind/run/notices.js";
import { NEW_RUN, type RunState } from "../../mind/run/state.js";
import { step } from "../../mind/run/transition.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { sha256 } from "../../hands/store/sha256.js";
import { opening, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { foldRun } from "../inspect/fold-run.js";
import { notifyNow } from "./notifier.js";
import { sendNotice } from "./send-notice.js";

const GATES = { gates: [{ gate_id: "node_review", category: "security", reviewers: ["grace"] }] };
const PLAN = planRef([runTask("A"), runTask("B", { dependencies: ["A"], gates: ["node_review"] })], GATES);
const done = (task_id: string): RunEvent[] => [
  {
    type: "attempt_finished",
    task_id,
    attempt: 1,
    outcome: { kind: "completed", output_ref: "r" },
    usage: { amounts: { tokens: 1, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 }, source: "reported" },
  },
  { type: "verification_finished", task_id, attempt: 1, verdict: "PASS", evidence: "" },
  { type: "integration_finished", task_id, attempt: 1, integrated: true, ref: "r" },
  { type: "review_finished", task_id, attempt: 1, accepted: true, summary: "" },
];

function after(...events: readonly RunEvent[]): { state: RunState; log: RunEvent[] } {
  const log: RunEvent[] = [];
  let state = NEW_RUN;
  for (const event of [...opening(PLAN), ...events]) {
    const taken = step(state, event, 0);
    state = taken.state;
    log.push(...taken.events);
  }
  return { state, log };
}

async function storeOf(log: readonly RunEvent[]) {
  const store = createMemoryStore({ sha256 });
  const at = "2026-02-03T04:05:06.000Z";
  await store.append(
    "run_told",
    0,
    log.map((event) => ({ event, at, clock_ms: 0 })),
  );
  return store;
}

const place = () => ({ environment: { PATH: process.env["PATH"], HOME: tmpdir() } });

/** A server on this machine that answers with a status and keeps what it was sent; `null` never answers. */
async function server(status: number | null): Promise<{ address: string; bodies: string[] }> {
  const bodies: string[] = [];
  const listening = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      bodies.push(`${request.method ?? ""} ${request.headers["content-type"] ?? ""} ${body}`);
      if (status !== null) response.writeHead(status, { location: "http://127.0.0.1:1/" }).end("who cares");
    });
  });
  await new Promise<void>((resolve) => void listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return { address: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/T0KEN`, bodies };
}

describe("what is to be told of a run", () => {
  const ids = (state: RunState) => noticesOf(state).map(({ id, about }) => `${about} ${id}`);

  it("follows from its state: what waits now, not what will; and its end", () => {
    expect(ids(after().state)).toEqual([`waiting notify:plan:${PLAN.plan_id}`]);
    const approved: RunEvent = { type: "plan_approved", decider: PERSON };
    expect(ids(after(approved).state), "the review can wait for its work").toEqual([]);
    expect(ids(after(approved, ...done("A")).state)).toEqual(["waiting notify:node_review"]);
    const cancelled: RunEvent = { type: "run_cancelled", decider: PERSON, reason: "no more" };
    expect(ids(after(cancelled).state)).toEqual(["failed notify:end"]);
  });

  it("is told once, whoever asks again, and stands in the log also after the end", async () => {
    const { address, bodies } = await server(204);
    const { log } = after({ type: "run_cancelled", decider: PERSON, reason: "no more" });
    const store = await storeOf(log);
    const parts = {
      ...place(),
      store,
      runId: "run_told",
      settings: NotifySettings.parse({ webhook: address, events: ["ended"] }),
      project: "shop",
      now: () => "2026-02-03T05:05:06.000Z",
      clean: (text: string) => text.replaceAll("more", "…"),
      warn: (message: string) => expect.unreachable(message),
    };
    await notifyNow(parts);
    await notifyNow(parts);
    expect(bodies).toHaveLength(1);
    expect(JSON.parse(bodies[0]?.slice("POST application/json ".length) ?? "")).toEqual({
      schema_version: "1.0.0",
      id: "run_told/notify:end",
      about: "failed",
      project: "shop",
      run_id: "run_told",
      at: "2026-02-03T05:05:06.000Z",
      status: "failed",
      message: "run_told failed: cancelled (0 of 2 tasks done)",
      entry: null,
      next: "coordinator response run_told",
    });
    const told = { type: "notification_sent", effect_id: "notify:end", ways: [{ way: "webhook", problem: null }] };
    const events: unknown[] = [];
    for await (const { event } of store.read("run_told")) events.push(event);
    expect(events.at(-1)).toMatchObject(told);
    expect((await foldRun(store, "run_told")).state).toMatchObject({ status: "failed", clock_ms: 0 });
  });

  it("that nobody could be told of is a warning and an event, and nothing fails", async () => {
    const { address } = await server(500);
    const said: string[] = [];
    const store = await storeOf(after().log);
    const settings = NotifySettings.parse({ command: ["/nowhere/at-all"], webhook: address });
    const common = { ...place(), store, runId: "run_told", project: "shop", now: () => "2026-02-03T05:05:06.000Z" };
    await notifyNow({ ...common, settings, clean: (text) => text, warn: (message) => said.push(message) });
    expect(said).toEqual([expect.stringContaining("ENOENT"), expect.stringContaining("the webhook: answered 500")]);
    expect(JSON.stringify(said)).not.toContain("T0KEN");
  });
});

describe("telling", () => {
  it("starts a program without a shell, and ends all of it when it takes too long", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-told-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "$(touch x)");
    const write = `require("fs").writeFileSync(process.argv[1], require("fs").readFileSync(0)); console.error("careful"); process.exit(3)`;
    const failing = NotifySettings.parse({ command: [process.execPath, "-e", write, file] });
    expect(await sendNotice("{}\n", failing, place())).toEqual([{ way: "command", problem: "exit code 3: careful" }]);
    expect(readFileSync(file, "utf8")).toBe("{}\n");
    // Whether or not it came to be in that time, it is not there afterwards.
    const mark = `600.${process.pid}${Date.now()}`;
    const slow = NotifySettings.parse({ command: ["sh", "-c", `sleep ${mark} & wait`], seconds: 0.5 });
    expect(await sendNotice("{}\n", slow, place())).toEqual([
      { way: "command", problem: "took longer than 0.5 seconds" },
    ]);
    const isMarked = (pid: string) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
      } catch {
        return false;
      }
    };
    const isGone = () => !readdirSync("/proc").some(isMarked);
    await expect.poll(isGone, { timeout: 240_000 }).toBe(true);
  });

  it("starts it in the person's home directory, never where somebody stands", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-told-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const write = `require("fs").writeFileSync("where", process.cwd())`;
    const settings = NotifySettings.parse({ command: [process.execPath, "-e", write] });
    const environment = { ...place().environment, HOME: folder };
    expect(await sendNotice("{}\n", settings, { environment })).toEqual([{ way: "command", problem: null }]);
    expect(readFileSync(join(folder, "where"), "utf8")).toBe(folder);
    const told = NotifySettings.parse({
      command: [process.execPath, "-e", "console.error(process.cwd()); process.exit(1)"],
    });
    expect(await sendNotice("{}\n", told, { environment: { PATH: process.env["PATH"] } })).toEqual([
      { way: "command", problem: "exit code 1: /" },
    ]);
  });

  it("posts to an address, follows nothing it answers, and waits no longer than it may", async () => {
    const moved = await server(302);
    expect(await sendNotice("{}", NotifySettings.parse({ webhook: moved.address }), place())).toEqual([
      { way: "webhook", problem: "answered 302" },
    ]);
    const silent = await server(null);
    expect(await sendNotice("{}", NotifySettings.parse({ webhook: silent.address, seconds: 0.2 }), place())).toEqual([
      { way: "webhook", problem: "took longer than 0.2 seconds" },
    ]);
    const nobody = NotifySettings.parse({ webhook: "http://127.0.0.1:1/T0KEN" });
    expect(JSON.stringify(await sendNotice("{}", nobody, place()))).not.toContain("T0KEN");
    expect(NotifySettings.safeParse({ webhook: "file:///etc/passwd" }).success).toBe(false);
    expect(NotifySettings.safeParse({}).success).toBe(false);
  });
});
