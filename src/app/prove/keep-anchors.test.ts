import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { anchorObjection } from "../../model/settings/record-config.js";
import { Configuration } from "../../model/settings/configuration.js";
import { loadSigningKey } from "../../hands/store/chain/signing-key.js";
import { CHECKPOINT_PREFIX } from "../../hands/store/chain/checkpoint.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { sha256 } from "../../hands/store/sha256.js";
import { anchorAt, configuredAnchors, configuredNotes } from "./anchors.js";
import { anchorRun, followAnchors } from "./keep-anchors.js";

const RUN = "run_kept-1";

describe("anchors that are kept", () => {
  let root = "";
  let store: EventStore;
  let sequence = 0;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "coordinator-kept-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    execFileSync("git", ["init", "-q", root]);
    store = createMemoryStore({ sha256, signer: loadSigningKey(root) });
    sequence = 0;
  });
  const base = () => ({ root, environment: process.env });
  /** So many events, the last of which is signed at once. */
  async function say(count: number, to = store): Promise<void> {
    const event = { type: "dispatch_paused", reason: `event ${sequence}` } as const;
    const last = { type: "approval_given", action: "a", clause: "", decider: { by: "ada", how: "person" } } as const;
    const at = "2026-02-03T04:05:06.000Z";
    const events = Array.from({ length: count }, (_, i) => ({
      event: i === count - 1 ? last : event,
      at,
      clock_ms: 1,
    }));
    expect((await to.append(RUN, sequence, events)).status).toBe("appended");
    sequence += count;
  }
  const held = async (where: string) => (await configuredNotes([where], RUN, base()))[0]?.notes.length;

  it("are every checkpoint in a file and the last one in git, and what is there is not written again", async () => {
    await say(3);
    await say(2);
    const file = join(root, "elsewhere/anchors.jsonl");
    for (const [where, written] of [
      [file, 2],
      ["git:", 1],
      ["git:refs/coord/kept", 1],
    ] as const) {
      expect(await anchorRun(store, RUN, where, base())).toEqual({ where, written, sequence: 5, problem: null });
      expect(await anchorRun(store, RUN, where, base())).toMatchObject({ written: 0, sequence: 5, problem: null });
      expect(await held(where)).toBe(written);
    }
    const refs = execFileSync("git", ["-C", root, "for-each-ref", "--format=%(refname)"], { encoding: "utf8" });
    expect(refs.trim().split("\n")).toEqual([`refs/coord/anchors/${RUN}`, `refs/coord/kept/${RUN}`]);
  });

  it("are not replaced by a log that was cut off, nor by one that was written anew and is longer", async () => {
    await say(6);
    await anchorRun(store, RUN, "git:", base());
    const [before] = await anchorAt("git:", base()).read(RUN);
    const other = createMemoryStore({ sha256, signer: loadSigningKey(root) });
    sequence = 0;
    await say(4, other);
    expect(await anchorRun(other, RUN, "git:", base())).toMatchObject({
      written: 0,
      problem: "it knows event 6, and the log is signed up to 4",
    });
    await say(4, other);
    expect(await anchorRun(other, RUN, "git:", base())).toMatchObject({ written: 0, problem: /knows event 6/ });
    expect(await anchorAt("git:", base()).read(RUN)).toEqual([before]);
    await store.put(RUN, `${CHECKPOINT_PREFIX}000000000006`, "another note");
    expect(await anchorRun(store, RUN, "git:", base())).toMatchObject({ problem: /another event 6/ });
  });

  it("are never added to a file that is something else", async () => {
    await say(1);
    const file = join(root, ".profile");
    writeFileSync(file, "export A=1\n");
    expect(await anchorRun(store, RUN, file, base())).toMatchObject({ problem: /something else than anchors/ });
    expect(readFileSync(file, "utf8")).toBe("export A=1\n");
  });

  it("that cannot be written hold nothing up: it is told once, tried again, and made up for", async () => {
    const place = join(root, "place");
    writeFileSync(place, "in the way");
    const file = join(place, "anchors.jsonl");
    const said: string[] = [];
    const following = followAnchors({
      ...base(),
      reader: store,
      runId: RUN,
      places: [file],
      warn: (message) => said.push(message),
      everyMs: 5,
    });
    await say(2);
    await expect.poll(() => said.length, { timeout: 240_000 }).toBe(1);
    await say(2);
    rmSync(place);
    mkdirSync(place);
    expect(await following.stop()).toEqual([{ where: file, written: 2, sequence: 4, problem: null }]);
    expect(said).toEqual([expect.stringContaining(`${RUN} is not anchored at ${file}: `)]);
  });

  it.each([
    ["refs/heads/main is nobody's to write", "git:refs/heads/main", /below refs\/coord\//],
    ["a run's own ref", "git:refs/coord/run_1/head", /of a run/],
    ["what was salvaged", "git:refs/coord/salvage/x", /salvaged/],
    ["no name of a ref", "git:refs/coord/a..b", /name of a ref/],
    ["the way out", "../../etc/anchors", /without \.\./],
    ["git's own folder", ".git/anchors", /outside of \.git/],
  ])("refuse %s", (_, place, why) => {
    expect(anchorObjection(place)).toMatch(why);
    const read = Configuration.safeParse({ record: { anchor: place } });
    expect(read.success ? null : JSON.stringify(read.error.issues)).toMatch(why);
  });

  it("are configured as one place or several, from the root or the person's home", () => {
    const { record } = Configuration.parse({ record: { anchor: ["git:", "a.jsonl", "~/b.jsonl", "/c.jsonl"] } });
    const at = { root: "/project", environment: { HOME: "/home/ada" } };
    expect(configuredAnchors(record, at)).toEqual(["git:", "/project/a.jsonl", "/home/ada/b.jsonl", "/c.jsonl"]);
    expect(configuredAnchors(Configuration.parse({ record: { anchor: "git:" } }).record, at)).toEqual(["git:"]);
    expect(configuredAnchors(Configuration.parse({}).record, at)).toEqual([]);
  });
});
