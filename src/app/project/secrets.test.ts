import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { carryOut } from "../../hands/engine/carry-out.js";
import { secretsIn } from "../../foundation/files/known-secrets.js";
import type { RunEvent } from "../../model/event.js";
import { opening, planRef, runTask } from "../../testing/run-fixtures.js";
import { createDeriver } from "../prove/derive.js";
import { openRuns } from "./open-runs.js";
import { sendSignal } from "../decide/send-signal.js";
import { stateFolder } from "./state-folder.js";

const SECRET = "canary-5f0c9a7e31";

afterEach(() => vi.unstubAllEnvs());

describe("the keys a process was given", () => {
  it("are known by the names of their variables; places, addresses and short words are none", () => {
    const environment = {
      ANTHROPIC_API_KEY: "sk-ant-0123456789",
      GH_TOKEN: "ghp_0123456789",
      DB_PASSWORD: "correct horse battery",
      AWS_SECRET_ACCESS_KEY: "abcdefghijklmnop",
      DATABASE_TOKEN_URL: "postgres://me:pass@host/db",
      SSH_KEY: "/home/me/.ssh/id_ed25519",
      TOKEN_URL: "https://example.org/token",
      DEBUG_TOKEN: "yes",
      KEYBOARD: "us-international",
      MONKEY: "a long enough word",
      PATH: "/usr/bin",
    };
    expect([...secretsIn(environment).keys()]).toEqual([
      "sk-ant-0123456789",
      "ghp_0123456789",
      "correct horse battery",
      "abcdefghijklmnop",
      "postgres://me:pass@host/db",
    ]);
  });

  it("are in no log, not even as what follows from them, and the log verifies", async () => {
    const root = mkdtempSync(join(tmpdir(), "coordinator-secrets-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    vi.stubEnv("TEAM_TOKEN", SECRET);
    const at = stateFolder(root);
    const store = await openRuns(at);
    const tasks = ["A", "B", "C"].map((id) => runTask(id));
    // Three tasks that fail alike: the escalation's id follows from the message.
    const run = await carryOut("run_secret", {
      store,
      clock: { now: () => "2026-02-03T04:05:06Z", elapsedMs: () => 0, wait: () => new Promise(() => undefined) },
      runner: {
        run: async (_, effect): Promise<RunEvent> => {
          if (effect.kind !== "start_attempt") throw new TypeError(effect.kind);
          const { task_id, attempt, reserved } = effect;
          const outcome = { kind: "semantic", violation: "rule", message: `it printed ${SECRET} and more` } as const;
          const usage = { amounts: reserved, source: "reported" } as const;
          return { type: "attempt_finished", task_id, attempt, outcome, usage };
        },
      },
    });
    for (const event of opening(planRef(tasks), { plan_needs_approval: false })) await run.signal(event);
    await vi.waitFor(() => expect(run.state().paused).not.toBeNull(), { timeout: 30_000 });
    await run.stop();
    const deriver = createDeriver();
    for await (const logged of store.read("run_secret")) deriver.take(logged);
    const { impossible, other, reported } = deriver.finish();
    expect({ impossible, other }).toEqual({ impossible: null, other: null });
    expect(reported).toBeGreaterThan(3);
    await store.close();
    for (const name of readdirSync(at.folder)) {
      const path = join(at.folder, name);
      if (statSync(path).isFile()) expect(readFileSync(path, "latin1"), name).not.toContain(SECRET);
    }
    expect(readFileSync(at.database, "latin1")).toContain("redacted:");
    expect(statSync(join(at.folder, "redaction-salt")).mode & 0o777).toBe(0o600);
  });

  it("are not in what people say either, and what they said is taken once", async () => {
    const root = mkdtempSync(join(tmpdir(), "coordinator-secrets-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    vi.stubEnv("TEAM_TOKEN", SECRET);
    const at = stateFolder(root);
    const now = () => "2026-02-03T04:05:06Z";
    const store = await openRuns(at);
    const events = opening(planRef([runTask("A")]), { plan_needs_approval: true });
    let clock_ms = 0;
    await store.append(
      "run_secret",
      0,
      events.map((event) => ({ event, at: now(), clock_ms: clock_ms++ })),
    );
    await store.close();
    const event: RunEvent = {
      type: "plan_rejected",
      reason: `not with ${SECRET}`,
      decider: { by: "ada", how: "person" },
    };
    const signal = {
      signal_id: "sig_0001-abcd",
      run_id: "run_secret",
      event,
      roles: ["ada"],
      after: 0,
      sent_at: now(),
    };
    const sent = await sendSignal(at, signal, { waitMs: 0, now });
    expect(sent).toMatchObject({ status: "taken" });
    // Once more, as after a process that died before it could say so.
    expect(await sendSignal(at, signal, { waitMs: 0, now })).toEqual(sent);
    expect(readFileSync(at.database, "latin1")).not.toContain(SECRET);
  });
});
