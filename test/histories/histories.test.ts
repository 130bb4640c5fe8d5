import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LoggedEvent } from "../../src/model/event.js";
import { projectState } from "../../src/mind/report/project-state/project-state.js";
import { newProjectNotes, readNotes, takeEvent } from "../../src/mind/report/project-state/project-notes.js";
import { isOfSession } from "../../src/mind/run/decide/coordination.js";
import { fold } from "../../src/mind/run/transition.js";
import { checkpointOpener } from "../../src/hands/store/chain/signing-key.js";
import { verifyChain } from "../../src/hands/store/chain/verify-chain.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const names = readdirSync(HERE).filter((name) => existsSync(`${HERE}/${name}/log.jsonl`));

interface Kept {
  readonly log: LoggedEvent[];
  readonly state: { readonly run: object; readonly project: object };
  readonly notes: {
    readonly run_id: string;
    readonly public_key: string;
    readonly checkpoints: readonly { readonly key: string; readonly value: string }[];
  };
}

function kept(name: string): Kept {
  const read = (file: string) => readFileSync(`${HERE}/${name}/${file}`, "utf8");
  return {
    log: read("log.jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as LoggedEvent),
    state: JSON.parse(read("state.json")) as Kept["state"],
    notes: JSON.parse(read("notes.json")) as Kept["notes"],
  };
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("histories of earlier versions", () => {
  it("are there: a run that went well, one in trouble, one cancelled, one by levels", () => {
    expect(names).toEqual(["0.1.0-cancelled", "0.1.0-completed", "0.1.0-levels", "0.1.0-troubled"]);
    const seen = new Set(names.flatMap((name) => kept(name).log.map(({ event }) => event.type)));
    for (const type of ["breaker_changed", "wait_ended", "escalation_answered", "question_answered", "scope_widened"])
      expect(seen).toContain(type);
  });

  it.each(names)("%s holds events this version knows", (name) => {
    for (const logged of kept(name).log) expect(LoggedEvent.safeParse(logged).error).toBeUndefined();
  });

  it.each(names)("%s folds to the state it had", (name) => {
    const { log, state } = kept(name);
    const { layout: _, tasks, ready, ...run } = fold(log);
    expect(plain({ ...run, tasks: [...tasks], ready: [...ready] })).toMatchObject(state.run);
    expect(plain(projectState(readNotes(log)))).toMatchObject(state.project);
  });

  it.each(names)("%s: the views of a project go by the state of the run, and count what its ledger counts", (name) => {
    const { log } = kept(name);
    const notes = newProjectNotes();
    let state = fold([]);
    for (const logged of log) {
      takeEvent(notes, logged);
      state = fold([logged], state);
      expect(notes.run).toEqual(state);
      const { open, run } = state.ledger;
      expect([...notes.usage.open.keys()]).toEqual(open.filter((one) => !isOfSession(one)).map(({ key }) => key));
      expect(notes.usage.used.tokens).toBeCloseTo(run.used.tokens, 6);
      expect(notes.usage.used.api_calls).toBeCloseTo(run.used.api_calls, 6);
      expect(notes.usage.used.cost_usd).toBeCloseTo(run.used.cost_usd, 6);
    }
  });

  it.each(names)("%s verifies, to its last event, and no longer with a letter changed", (name) => {
    const { log, notes } = kept(name);
    const open = checkpointOpener(notes.public_key);
    const checkpoints = notes.checkpoints.map(({ value }) => open(value)).filter((point) => point !== null);
    expect(checkpoints).toHaveLength(notes.checkpoints.length);
    const options = { runId: notes.run_id, sha256, checkpoints, signed: true };
    expect(verifyChain(log, options)).toMatchObject({
      intact: true,
      events: log.length,
      proven: { sequence: log.length, by: "checkpoint" },
    });
    const middle = Math.floor(log.length / 2);
    const changed = log.with(middle, { ...(log[middle] as LoggedEvent), at: "2020-01-01T00:00:00Z" });
    expect(verifyChain(changed, options).intact).toBe(false);
  });
});
