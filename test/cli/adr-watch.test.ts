import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { KnownAdr } from "../../src/app/adr/recognise-records.js";
import { findRecords } from "../../src/app/adr/adr-list.js";
import { isAccepted, compareRecords, traceOf } from "../../src/app/adr/adr-watcher.js";

/* What watching sees of real files, look by look: no clock decides what is found. */

const record = (title: string, ...tasks: readonly string[]) =>
  `# ${title}\n\n## Status\n\nAccepted\n\n## Tasks\n\n${tasks.map((task) => `- ${task}\n`).join("")}`;

interface Seen {
  readonly settled: readonly string[];
  readonly unsettled: readonly string[];
  readonly changed: readonly string[];
}

function watching() {
  const root = mkdtempSync(join(tmpdir(), "coordinator-watch-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (name: string) => join(root, "adr", name);
  const known: KnownAdr[] = [];
  let last: ReadonlySet<string> = new Set();
  return {
    at,
    write: (name: string, text: string) => {
      mkdirSync(join(at(name), ".."), { recursive: true });
      writeFileSync(at(name), text);
    },
    known,
    records: async () => (await findRecords(join(root, "adr"), root)).records,
    /** What is settled is taken, as by a run. */
    look: async (): Promise<Seen> => {
      const { records } = await findRecords(join(root, "adr"), root);
      const look = compareRecords(records, last, known, { root, cwd: root });
      last = new Set(records.filter((one) => one.ok).map(traceOf));
      for (const { adr, checksum } of look.settled)
        known.push({ label: adr.label, file: relative(root, adr.file), checksum, run_id: `run_${known.length}` });
      return {
        settled: look.settled.map(({ adr, breakdown }) => `${adr.label} ${breakdown.tasks.length}`),
        unsettled: look.unsettled.map(({ adr }) => adr.label),
        changed: look.changed.filter(({ settled }) => settled).map(({ label, run_id }) => `${label} ${run_id}`),
      };
    },
  };
}

const NOTHING: Seen = { settled: [], unsettled: [], changed: [] };

/** Two looks, so that what is there has settled. */
async function settle({ look }: { look: () => Promise<Seen> }): Promise<Seen> {
  await look();
  return look();
}

describe("adr watch", () => {
  it("waits for a folder that is not there, and takes a record when it reads the same twice", async () => {
    const desk = watching();
    expect(await desk.look()).toEqual(NOTHING);
    desk.write("0007-store.md", record("7. One store", "Add the store"));
    expect(await desk.look()).toEqual({ ...NOTHING, unsettled: ["ADR-0007"] });
    appendFileSync(desk.at("0007-store.md"), "- Remove the old one\n");
    expect(await desk.look(), "it was half written").toEqual({ ...NOTHING, unsettled: ["ADR-0007"] });
    expect(await desk.look()).toEqual({ ...NOTHING, settled: ["ADR-0007 2"] });
    expect(await desk.look()).toEqual(NOTHING);
  });

  it("takes none twice that is moved, renamed, copied, or deleted and made anew", async () => {
    const desk = watching();
    desk.write("one-store.md", record("One store", "Add the store"));
    expect(await settle(desk)).toMatchObject({ settled: ["ADR-one-store 1"] });
    mkdirSync(desk.at("done"));
    renameSync(desk.at("one-store.md"), desk.at("done/another-name.md"));
    expect(await settle(desk), "moved").toEqual(NOTHING);
    desk.write("0003-copy.md", record("One store", "Add the store"));
    expect(await settle(desk), "copied").toEqual(NOTHING);
    rmSync(desk.at("done"), { recursive: true });
    unlinkSync(desk.at("0003-copy.md"));
    expect(await settle(desk)).toEqual(NOTHING);
    desk.write("one-store.md", record("One store", "Add the store"));
    expect(await settle(desk), "made anew").toEqual(NOTHING);
    unlinkSync(desk.at("one-store.md"));
    desk.write("one-store.md", record("One store", "Add two stores"));
    expect(await settle(desk), "made anew with other words").toEqual({ ...NOTHING, changed: ["ADR-one-store run_0"] });
  });

  it("takes a new record under the number or the name of one that was moved away", async () => {
    const desk = watching();
    desk.write("0005-store.md", record("One store", "Add the store"));
    expect(await settle(desk)).toMatchObject({ settled: ["ADR-0005 1"] });
    renameSync(desk.at("0005-store.md"), desk.at("0006-store.md"));
    desk.write("0005-store.md", record("One queue", "Add the queue"));
    expect(await settle(desk)).toEqual({ ...NOTHING, settled: ["ADR-0005 1"] });
  });

  it("tells of a record that was changed after it was taken, however an editor saves it", async () => {
    const desk = watching();
    const text = record("7. One store", "Add the store");
    desk.write("0007-store.md", text);
    expect(await settle(desk)).toMatchObject({ settled: ["ADR-0007 1"] });
    writeFileSync(desk.at("0007-store.md"), "");
    expect(await desk.look(), "emptied on the way").toEqual(NOTHING);
    writeFileSync(desk.at(".0007-store.md.swp"), `${text}- Remove the old one\n`);
    renameSync(desk.at(".0007-store.md.swp"), desk.at("0007-store.md"));
    expect(await desk.look(), "just renamed into its place").toEqual(NOTHING);
    expect(await desk.look()).toEqual({ ...NOTHING, changed: ["ADR-0007 run_0"] });
    renameSync(desk.at("0007-store.md"), desk.at("0007-two-stores.md"));
    expect(await settle(desk), "changed and renamed").toEqual({ ...NOTHING, changed: ["ADR-0007 run_0"] });
    writeFileSync(desk.at("0007-two-stores.md"), text.replace("Accepted", "Superseded by ADR-8"));
    expect(await settle(desk), "given up").toEqual(NOTHING);
    writeFileSync(desk.at("0007-two-stores.md"), text);
    expect(await settle(desk), "as it was").toEqual(NOTHING);
  });

  it("follows links, names a file once, and is not caught in a circle", async () => {
    const desk = watching();
    desk.write("../elsewhere/0007-store.md", record("7. One store", "Add the store"));
    mkdirSync(desk.at("."));
    symlinkSync(desk.at("../elsewhere/0007-store.md"), desk.at("0007-store.md"));
    symlinkSync(desk.at("0007-store.md"), desk.at("0008-again.md"));
    symlinkSync(desk.at("."), desk.at("circle"));
    symlinkSync(desk.at("nowhere.md"), desk.at("0009-gone.md"));
    const records = await desk.records();
    expect(records.map((one) => (one.ok ? one.adr.label : one.problems[0]?.code))).toEqual([
      "ADR-0007",
      "FILE_NOT_FOUND",
    ]);
    expect(await settle(desk)).toEqual({ ...NOTHING, settled: ["ADR-0007 1"] });
  });

  it("keeps two records of one number apart, and says so", async () => {
    const desk = watching();
    desk.write("0001-store.md", record("1. One store", "Add the store"));
    expect(await settle(desk)).toMatchObject({ settled: ["ADR-0001 1"] });
    desk.write("0001-queue.md", record("1. One queue", "Add the queue", "Write tests"));
    expect(await settle(desk)).toEqual({ ...NOTHING, settled: ["ADR-0001-queue 2"] });
    expect(await settle(desk), "each is known by what it is").toEqual(NOTHING);
    const records = (await desk.records()).filter(isAccepted);
    expect(
      records.map(({ adr }) => [adr.label, adr.diagnostics.map(({ code, message }) => `${code} ${message}`)]),
    ).toEqual([
      ["ADR-0001-queue", ["ADR_NUMBER_SHARED has the number of 0001-store.md too; it is called ADR-0001-queue"]],
      ["ADR-0001-store", ["ADR_NUMBER_SHARED has the number of 0001-queue.md too; it is called ADR-0001-store"]],
    ]);
    const tasks = records.flatMap(({ breakdown }) => breakdown.tasks);
    expect(tasks.map(({ id, dependencies }) => [id, dependencies.map(({ task }) => task)])).toEqual([
      ["TASK-0001-queue-001", []],
      ["TASK-0001-queue-002", ["TASK-0001-queue-001"]],
      ["TASK-0001-store-001", []],
    ]);
    appendFileSync(desk.at("0001-store.md"), "- Remove the old one\n");
    expect(await settle(desk)).toEqual({ ...NOTHING, changed: ["ADR-0001-store run_0"] });
  });

  it("takes none of one number that were accepted before anybody wrote down which", async () => {
    const desk = watching();
    desk.write("0001-store.md", record("1. One store", "Add the store"));
    desk.write("0001-queue.md", record("1. One queue", "Add the queue"));
    desk.known.push({ label: "ADR-0001", file: null, checksum: "of one of them, long ago", run_id: null });
    expect((await settle(desk)).settled).toEqual([]);
  });
});
