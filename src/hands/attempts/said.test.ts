import { describe, expect, it } from "vitest";
import type { RunnableEffect } from "../engine/effect-runner.js";
import type { RunEvent } from "../../model/event.js";
import { RunPolicy } from "../../model/run.js";
import { noticeDocument } from "../../app/notify/notice-document.js";
import type { FoldedRun } from "../../app/inspect/fold-run.js";
import { newRecordId, openRequest, settleRequest } from "../../app/request/record-request.js";
import { createMemoryStore } from "../store/memory-store.js";
import { sha256 } from "../store/sha256.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { createEffectRunner, type EffectRunnerParts } from "../../app/run/run-effects.js";
import { message } from "../../app/run/orders.js";

/* Every way by which the words of agents, checks and models get into the log, a commit or a notification. */

const TOKEN = ["ghp", "R7tq2VbN9xKcW4mZ8sLp3dFh6jGy1aTe5uQo"].join("_");

describe("a secret that somebody says", () => {
  it("is out of an event before anything follows from it", async () => {
    const said: RunEvent = {
      type: "attempt_finished",
      task_id: "A",
      attempt: 1,
      outcome: { kind: "structural", error: "crash", message: `it printed ${TOKEN}` },
      usage: {
        amounts: { tokens: 1, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 },
        source: "reported",
      },
      said: `last words ${TOKEN}`,
    };
    const layout = { plan: { tasks: [] }, indexOf: new Map() };
    const runner = createEffectRunner({
      layout,
      attempts: { start: async () => said },
      requirements: async () => said,
    } as unknown as EffectRunnerParts);
    const around = { signal: new AbortController().signal } as unknown as Parameters<typeof runner.run>[2];
    const effect = { kind: "start_attempt", task_id: "A", attempt: 1 } as unknown as RunnableEffect;
    const event = await runner.run("run", effect, around);
    expect(event).toMatchObject({
      said: "last words [GitHub token]",
      outcome: { message: "it printed [GitHub token]" },
    });
    const judged = await runner.run("run", { kind: "prove_requirements" } as never, around);
    expect(JSON.stringify(judged)).not.toContain(TOKEN);
  });

  it("is out of what a model asks", async () => {
    const store = createMemoryStore({ sha256 });
    const now = "2026-02-03T04:05:06Z";
    const record = newRecordId(now);
    await openRequest(store, record, { request_id: "r1", request: "Do it", policy: RunPolicy.parse({}), now });
    await settleRequest(store, record, { decided: [], questions: [{ id: "q1", question: `Is ${TOKEN} valid?` }] }, now);
    const asked: RunEvent[] = [];
    for await (const { event } of store.read(record)) asked.push(event);
    expect(asked).toContainEqual(expect.objectContaining({ question: "Is [GitHub token] valid?" }));
    expect(JSON.stringify(asked)).not.toContain(TOKEN);
  });

  it("is out of the message of a commit", () => {
    const options = { runId: "run_1", state: { layout: null } } as unknown as Parameters<typeof message>[0];
    const task = { task_id: "A", title: `Use ${TOKEN}`, agent: "builder" } as Parameters<typeof message>[1];
    const judged = { attempt: 1, verdict: { verdict: "PASS", proven_by: [], accepted: [] }, waivers: [] };
    const said = message(options, task, judged as unknown as Parameters<typeof message>[2]);
    expect(said).toContain("Use [GitHub token]");
    expect(said).toContain("Coordinator-Task: A");
  });

  it("is out of a notification, with all lines of a key", () => {
    const edge = (word: string) => ["-----", word, " RSA PRIVATE ", "KEY-----"].join("");
    const key = [edge("BEGIN"), "MIIEpAIBAAKCAQEA0Zx7Qw9Lk2", edge("END")].join("\n");
    const state = { completed: 0, tasks: [], reason: `failed: ${key} and ${TOKEN}`, status: "failed", inbox: [] };
    const run = { run_id: "run_1", state } as unknown as FoldedRun;
    const effect = { id: "e1", about: "failed", entry: null } as unknown as Parameters<typeof noticeDocument>[0];
    const document = noticeDocument(effect, run, { project: "p", at: "now", clean: withoutSecrets });
    expect(document.message).toContain("[private key]");
    expect(JSON.stringify(document)).not.toMatch(/MIIEpAIB|ghp_/);
  });
});
