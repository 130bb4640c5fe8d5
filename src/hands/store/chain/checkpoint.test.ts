import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { endEvent, pauseEvent, readAll, newEvent, sha256 } from "../../../testing/store-suite.js";
import type { EventStore } from "../event-store.js";
import { createMemoryStore } from "../memory-store.js";
import { fileAnchor } from "./anchor-file.js";
import { gitAnchor } from "./anchor-git.js";
import { CHECKPOINT_PREFIX, checkpointBody, checkpointKey, readCheckpoint, readNote } from "./checkpoint.js";
import { proveEvent, refuteProof } from "./prove-event.js";
import { loadSigningKey, openCheckpoint, type SigningKey } from "./signing-key.js";
import { verifyRun } from "./verify-run.js";

const RUN = "run_signed";
let folder: string;
let key: SigningKey;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coordinator-chain-"));
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  key = loadSigningKey(folder);
});

async function signedStore(length: number, sizes = 7): Promise<EventStore> {
  const store = createMemoryStore({ sha256, signer: key });
  for (let n = 0; n < length;) {
    const size = Math.min(sizes, length - n);
    await store.append(
      RUN,
      n,
      Array.from({ length: size }, (_, i) => pauseEvent(`e${n + i}`, n + i)),
    );
    n += size;
  }
  return store;
}

const signedAt = async (store: EventStore) =>
  (await store.list(RUN, CHECKPOINT_PREFIX)).map(({ key: name }) => Number(name.slice(CHECKPOINT_PREFIX.length)));

describe("a checkpoint", () => {
  const point = { run_id: RUN, sequence: 100, hash: sha256("head"), at: "2026-02-03T04:05:06Z" };

  it("is a text a person can read, signed", () => {
    const note = key.sign(checkpointBody(point));
    expect(note.split("\n").slice(0, 5)).toEqual([
      "coordinator/run_signed",
      "100",
      Buffer.from(point.hash, "hex").toString("base64"),
      "2026-02-03T04:05:06Z",
      "",
    ]);
    expect(note).toMatch(/\n\n— coordinator [A-Za-z0-9+/]+=*\n$/);
    expect(openCheckpoint(note, key.publicKeyPem)).toEqual(point);
    expect(
      Buffer.from(readNote(note)?.signature ?? "", "base64")
        .subarray(0, 4)
        .toString("hex"),
    ).toBe(key.keyId);
  });

  it("reads back for every hash", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.integer({ min: 1 }), (bytes, sequence) => {
        const body = checkpointBody({ ...point, sequence, hash: Buffer.from(bytes).toString("hex") });
        expect(body.split("\n")[2]).toBe(Buffer.from(bytes).toString("base64"));
        expect(readCheckpoint(body)).toEqual({ ...point, sequence, hash: Buffer.from(bytes).toString("hex") });
      }),
    );
  });

  it("is not opened with any byte changed, nor with another key", () => {
    const note = Buffer.from(key.sign(checkpointBody(point)));
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.integer({ min: 1, max: 255 }), (where, flip) => {
        const changed = Buffer.from(note);
        changed[where] = (changed[where] as number) ^ flip;
        expect(openCheckpoint(changed.toString("utf8"), key.publicKeyPem)).toBeNull();
      }),
    );
    const other = loadSigningKey(join(folder, "other"));
    expect(openCheckpoint(note.toString(), other.publicKeyPem)).toBeNull();
    for (const text of ["", "\n", "no note", `${note.toString()}\n`])
      expect(openCheckpoint(text, key.publicKeyPem)).toBeNull();
  });

  it("has the Merkle root of what came since the one before it, and reads back with it", () => {
    const merkle = { from: 51, root: sha256("root") };
    const body = checkpointBody({ ...point, merkle });
    expect(body.split("\n")[4]).toBe(`merkle 51 ${Buffer.from(merkle.root, "hex").toString("base64")}`);
    expect(readCheckpoint(body)).toEqual({ ...point, merkle });
    expect(readCheckpoint(checkpointBody({ ...point, merkle: { ...merkle, from: 101 } }))).toBeNull();
    expect(readCheckpoint(`${body}more\n`)).toBeNull();
  });

  it("is made with what comes five seconds after the last, and when a run is cancelled", async () => {
    const store = createMemoryStore({ sha256, signer: key });
    await store.append(RUN, 0, [pauseEvent("a", 4_999)]);
    await store.append(RUN, 1, [pauseEvent("b", 5_000), pauseEvent("c", 5_001)]);
    await store.append(RUN, 3, [pauseEvent("d", 10_000)]);
    await store.append(RUN, 4, [pauseEvent("e", 10_001)]);
    const decider = { by: "ada", how: "person" } as const;
    await store.append(RUN, 5, [newEvent({ type: "run_cancelled", decider, reason: "enough" }, 10_002)]);
    expect(await signedAt(store)).toEqual([3, 5, 6]);
    expect(await verifyRun(store, RUN, { sha256, publicKeyPems: [key.publicKeyPem] })).toMatchObject({
      intact: true,
      proven: { sequence: 6, by: "checkpoint" },
    });
  });

  it.each([1, 7, 100, 101, 350])("is made every hundred events and at the end, with appends of %i", async (size) => {
    const store = await signedStore(349, size);
    await store.append(RUN, 349, [endEvent()]);
    const signed = await signedAt(store);
    expect(signed.at(-1)).toBe(350);
    for (const [i, sequence] of signed.entries()) expect(sequence - (signed[i - 1] ?? 0)).toBeLessThanOrEqual(100);
    expect(signed.length).toBeLessThanOrEqual(4);
  });
});

describe("the signing key", () => {
  it("is made once, for its owner only, and leaves no draft", () => {
    expect(readdirSync(folder)).toEqual(["signing-key.pem"]);
    expect(statSync(join(folder, "signing-key.pem")).mode & 0o777).toBe(0o600);
    expect(loadSigningKey(folder).keyId).toBe(key.keyId);
  });

  it("is not used when others may read it, or when it is not a key", () => {
    chmodSync(join(folder, "signing-key.pem"), 0o644);
    expect(() => loadSigningKey(folder)).toThrow(
      expect.objectContaining({ code: "FILE_UNREADABLE", fix: expect.stringContaining("chmod") }),
    );
    chmodSync(join(folder, "signing-key.pem"), 0o600);
    writeFileSync(join(folder, "signing-key.pem"), "no key");
    expect(() => loadSigningKey(folder)).toThrow(expect.objectContaining({ code: "FILE_UNREADABLE" }));
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    writeFileSync(join(folder, "signing-key.pem"), other.export({ type: "pkcs8", format: "pem" }));
    expect(() => loadSigningKey(folder)).toThrow(
      expect.objectContaining({ code: "FILE_UNREADABLE", message: expect.stringContaining("of the kind ec") }),
    );
  });
});

describe("verifying a run", () => {
  const verify = (store: EventStore, anchored: readonly string[] = []) =>
    verifyRun(store, RUN, { sha256, publicKeyPems: [key.publicKeyPem], anchored });

  it("says up to where it is signed", async () => {
    expect(await verify(await signedStore(250))).toMatchObject({
      intact: true,
      events: 250,
      proven: { sequence: 200, by: "checkpoint" },
    });
  });

  it("without the key, checkpoints prove nothing", async () => {
    const verdict = await verifyRun(await signedStore(250), RUN, { sha256 });
    expect(verdict).toMatchObject({ intact: true, proven: { sequence: 0, by: "chain" } });
  });

  it("finds a checkpoint that was forged, and one under another's name", async () => {
    const store = await signedStore(250);
    const [first] = await store.list(RUN, CHECKPOINT_PREFIX);
    const other = loadSigningKey(join(folder, "other"));
    await store.put(RUN, checkpointKey(100), other.sign(readNote(first?.value ?? "")?.body ?? ""));
    expect((await verify(store)).findings[0]).toMatchObject({ kind: "unsigned" });
    // Where the other key counts, too, it is a checkpoint like any other.
    const publicKeyPems = [key.publicKeyPem, other.publicKeyPem];
    expect(await verifyRun(store, RUN, { sha256, publicKeyPems })).toMatchObject({ intact: true, findings: [] });
    expect((await verify(store)).findings).toContainEqual(expect.objectContaining({ kind: "replaced", sequence: 100 }));
    await store.put(RUN, checkpointKey(100), (await store.get(RUN, checkpointKey(200))) ?? "");
    expect((await verify(store)).findings).toContainEqual(expect.objectContaining({ kind: "replaced", sequence: 100 }));
  });

  const resign = async (store: EventStore, sequence: number, change: (body: string) => string) => {
    const note = readNote((await store.get(RUN, checkpointKey(sequence))) ?? "");
    await store.put(RUN, checkpointKey(sequence), key.sign(change(note?.body ?? "")));
  };

  it("takes checkpoints from before there were roots", async () => {
    const store = await signedStore(250);
    for (const sequence of await signedAt(store))
      await resign(store, sequence, (body) => body.replace(/merkle.*\n/, ""));
    expect(await verify(store)).toMatchObject({ intact: true, proven: { sequence: 200, by: "checkpoint" } });
    const mixed = await signedStore(250);
    await resign(mixed, 100, (body) => body.replace(/merkle.*\n/, ""));
    expect((await verify(mixed)).intact).toBe(true);
  });

  it("finds a root that is not the events', also when the key's holder signed it", async () => {
    const store = await signedStore(250);
    const root = Buffer.from(sha256("another"), "hex").toString("base64");
    await resign(store, 200, (body) => body.replace(/merkle 101 .*\n/, `merkle 101 ${root}\n`));
    expect((await verify(store)).findings).toEqual([
      {
        kind: "replaced",
        sequence: 200,
        message: "The Merkle root at event 200 is not that of the events a signed checkpoint covers",
      },
    ]);
    await resign(store, 200, (body) => body.replace(/merkle 101 /, "merkle 102 "));
    expect((await verify(store)).intact).toBe(false);
  });

  it("finds a root that was changed without the key", async () => {
    const store = await signedStore(250);
    const note = (await store.get(RUN, checkpointKey(200))) ?? "";
    await store.put(RUN, checkpointKey(200), note.replace(/(merkle 101 .)./, "$1/"));
    expect((await verify(store)).findings).toContainEqual(
      expect.objectContaining({ kind: "replaced", message: "The checkpoint at event 200 is not signed with this key" }),
    );
  });

  it("misses a checkpoint that is gone, however short the stretch it covered", async () => {
    const whole = createMemoryStore({ sha256, signer: key });
    for (let n = 0; n < 6; n++) await whole.append(RUN, n, [pauseEvent(`e${n}`, n * 6_000)]);
    expect(await signedAt(whole)).toEqual([2, 3, 4, 5, 6]);
    const without = {
      ...whole,
      list: async (run: string, prefix: string) =>
        (await whole.list(run, prefix)).filter(({ key: name }) => name !== checkpointKey(4)),
    };
    expect((await verify(without)).findings).toEqual([
      { kind: "unsigned", sequence: 4, message: "The checkpoint at event 4 is missing" },
    ]);
  });

  it("proves one event without the others", async () => {
    const store = await signedStore(250);
    const parts = { sha256, publicKeyPem: key.publicKeyPem };
    for (const sequence of [1, 100, 101, 150, 200]) {
      const proof = await proveEvent(store, RUN, sequence, parts);
      if (proof === null) throw new Error(`event ${sequence} is covered`);
      const sent = JSON.parse(JSON.stringify(proof)) as typeof proof;
      expect(sent.entry.sequence).toBe(sequence);
      expect(sent.path.length).toBeLessThanOrEqual(7);
      expect(refuteProof(sent, parts)).toBeNull();
      const [other] = (await readAll(store, RUN)).slice(sequence === 1 ? 1 : 0);
      expect(refuteProof({ ...sent, entry: { ...sent.entry, at: "2020-01-01T00:00:00Z" } }, parts)).not.toBeNull();
      expect(refuteProof({ ...sent, entry: other ?? sent.entry }, parts)).not.toBeNull();
      expect(refuteProof({ ...sent, path: sent.path.slice(1) }, parts)).not.toBeNull();
      expect(refuteProof({ ...sent, note: "no note" }, parts)).not.toBeNull();
    }
    expect(await proveEvent(store, RUN, 201, parts)).toBeNull();
    expect(await proveEvent(store, "run_unknown", 1, parts)).toBeNull();
  });

  it("finds that the end was cut off together with its checkpoints, if it was anchored", async () => {
    const whole = await signedStore(250);
    const anchored = [(await whole.get(RUN, checkpointKey(200))) ?? ""];
    const cut = await signedStore(150);
    expect((await verify(cut)).intact).toBe(true);
    expect((await verify(cut, anchored)).findings).toEqual([
      { kind: "truncated", sequence: 151, message: "The log ends at event 150, but an anchor knows 200" },
    ]);
    expect((await verify(whole, anchored)).proven).toEqual({ sequence: 200, by: "anchor" });
    expect((await verify(whole, ["forged"])).findings).toMatchObject([{ kind: "replaced" }]);
  });
});

describe("anchors in a file", () => {
  it("are appended and never replaced", async () => {
    const path = join(folder, "anchors", "log.jsonl");
    const anchor = fileAnchor(path);
    expect(await anchor.read(RUN)).toEqual([]);
    await anchor.write(RUN, "one\n");
    await anchor.write("run_other", "two\n");
    await anchor.write(RUN, "three\n");
    expect(await anchor.read(RUN)).toEqual(["one\n", "three\n"]);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(4);
  });

  it("survive a line that a crash cut short", async () => {
    const path = join(folder, "log.jsonl");
    const anchor = fileAnchor(path);
    await anchor.write(RUN, "one\n");
    appendFileSync(path, '{"run_id":"run_si');
    expect(await anchor.read(RUN)).toEqual(["one\n"]);
    await anchor.write(RUN, "two\n");
    expect(await anchor.read(RUN)).toEqual(["one\n", "two\n"]);
  });

  it("say when they cannot be written or read", async () => {
    await expect(fileAnchor(folder).write(RUN, "x")).rejects.toMatchObject({ code: "FILE_WRITE_FAILED" });
    await expect(fileAnchor(folder).read(RUN)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  });
});

describe("anchors in git", () => {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });

  it("are a ref of their own, and run nothing of the repository's", async () => {
    git("init", "--quiet");
    writeFileSync(join(folder, ".git", "hooks", "reference-transaction"), `#!/bin/sh\ntouch ${folder}/ran\n`, {
      mode: 0o755,
    });
    git("config", "core.fsmonitor", `touch ${folder}/ran`);
    const anchor = gitAnchor(folder, process.env);
    expect(await anchor.read(RUN)).toEqual([]);
    const note = key.sign("coordinator/run_signed\nä\n");
    await anchor.write(RUN, "first\n");
    await anchor.write(RUN, note);
    expect(await anchor.read(RUN)).toEqual([note]);
    expect(git("for-each-ref", "--format=%(refname) %(objecttype)").trim()).toBe("refs/coord/anchors/run_signed blob");
    expect(readdirSync(folder)).not.toContain("ran");
  });

  it("take no id that is none, and say when there is no repository", async () => {
    await expect(gitAnchor(folder, process.env).write("run_../../heads/main", "x")).rejects.toThrow(TypeError);
    const nowhere = mkdtempSync(join(tmpdir(), "coordinator-no-git-"));
    onTestFinished(() => rmSync(nowhere, { recursive: true, force: true }));
    await expect(gitAnchor(nowhere, process.env).write(RUN, "x")).rejects.toMatchObject({ code: "FILE_WRITE_FAILED" });
    await expect(gitAnchor(folder, { PATH: "" }).write(RUN, "x")).rejects.toMatchObject({ code: "FILE_WRITE_FAILED" });
  });
});
