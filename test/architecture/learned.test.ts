import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { WeightFile } from "../../src/foundation/learned/model.js";
import { ensureBuilt } from "../build.js";

/*
 * What ships of the learned layer: small enough, whole, and fitted to what it says. The texts of others are not part of the
 * project; the hash of the project's own can be checked everywhere, and so can that fitting gives the same bytes.
 */

const folder = new URL("../../policy/learned/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as WeightFile;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the shipped weights", () => {
  it("take at most 3 MB together", () => {
    expect(files).toContain("routing.json");
    expect(files.reduce((sum, name) => sum + statSync(new URL(name, folder)).size, 0)).toBeLessThanOrEqual(3_000_000);
  });

  it.each(files)("%s names its guideline and, by hash, the texts of the project as they are", (name) => {
    const { data, guideline, model } = read(name);
    expect(`${model}.json`).toBe(name);
    expect(existsSync(new URL(`../../${guideline}`, import.meta.url))).toBe(true);
    const own = data.filter((set) => existsSync(new URL(`../eval-fixtures/${set.name}`, import.meta.url)));
    // Decision records are fitted to records of others alone; the project has their labels and not their texts.
    expect(own.length > 0).toBe(name !== "adr.json");
    for (const set of own) {
      const text = readFileSync(new URL(`../eval-fixtures/${set.name}`, import.meta.url), "utf8");
      expect([set.name, sha256(text)]).toEqual([set.name, set.sha256]);
    }
  });
});

describe("fitting", () => {
  beforeAll(ensureBuilt);

  interface Fitting {
    readonly fitModel: (task: unknown, prepared: unknown, data: unknown) => WeightFile;
    readonly prepare: (task: unknown, rows: unknown) => unknown;
  }

  it("gives the same bytes for the same texts", async () => {
    const { fitModel, prepare } = (await import(
      new URL("../../scripts/fit/model.mjs", import.meta.url).href
    )) as unknown as Fitting;
    const { default: routing } = (await import(
      new URL("../../scripts/fit/routing.mjs", import.meta.url).href
    )) as unknown as { default: object };
    const rows = readFileSync(new URL("../eval-fixtures/routing.jsonl", import.meta.url), "utf8")
      .trim()
      .split("\n")
      .filter((_, at) => at % 4 === 0)
      .map((line) => JSON.parse(line) as { id: string; text: string; category: string })
      .map(({ id, text, category }) => ({ id, text, label: category, group: id, weight: 1 }));
    const task = routing;
    const fit = () => JSON.stringify(fitModel(task, prepare(task, rows), []));
    const first = fit();
    expect(sha256(fit())).toBe(sha256(first));
    // Pinned: another version of Node.js, or another machine, must give these bytes too.
    expect(sha256(first)).toBe("a06701caa96ced6835ddbe45e3aceba8d421a8ac67fdc5c20c4a9bad33551560");
  });

  describe("on top of earlier weights", () => {
    interface OnTop {
      readonly file: WeightFile;
      readonly isSeen: (row: object) => boolean;
      readonly missing: number;
    }
    const script = async (name: string) =>
      (await import(new URL(`../../scripts/fit/${name}.mjs`, import.meta.url).href)) as unknown;
    interface Row {
      readonly set: string;
      readonly label: string;
    }
    const loaded = async () => {
      const { fitModel, prepare } = (await script("model")) as {
        fitModel: (task: unknown, prepared: unknown, data: unknown, before: OnTop) => WeightFile;
        prepare: (task: unknown, rows: unknown) => { row: Row; forget?: boolean }[];
      };
      const { readBefore } = (await script("on-top")) as { readBefore: (name: string, sets: unknown) => OnTop };
      const { default: task } = (await script("routing")) as {
        default: { load: () => { name: string; rows: Row[] }[] };
      };
      const sets = task.load();
      const before = readBefore("routing", sets);
      const known = sets.find(({ name }) => name === "routing.jsonl")?.rows ?? [];
      const fresh = sets.find(({ name }) => name === "requests-authors.jsonl")?.rows.slice(0, 8) ?? [];
      const fit = (rows: readonly { row: Row; forget?: boolean }[]) => fitModel(task, rows, [], before).weights;
      return { before, known: prepare(task, known), fresh: prepare(task, fresh), fit };
    };

    it("texts that they were fitted to change nothing", async () => {
      const { before, known, fit } = await loaded();
      expect(before.missing).toBeGreaterThan(0);
      expect(known.every(({ row }) => before.isSeen(row))).toBe(true);
      expect(fit(known) === before.file.weights).toBe(true);
    });

    it("the project's own texts alone give the shipped weights of routing", async () => {
      const { fitModel, prepare } = (await script("model")) as Fitting & {
        fitModel: (task: unknown, prepared: unknown, data: unknown, before: OnTop) => WeightFile;
      };
      const { readBefore } = (await script("on-top")) as { readBefore: (name: string, sets: unknown) => OnTop };
      const { isOwn } = (await script("data")) as { isOwn: (set: object) => boolean };
      const { default: task } = (await script("routing")) as {
        default: { load: () => { name: string; rows: Row[] }[] };
      };
      const sets = task.load().filter(isOwn);
      const rows = sets.flatMap((set) => set.rows);
      const fitted = fitModel(task, prepare(task, rows), [], readBefore("routing", sets));
      const shipped = read("routing.json");
      expect([fitted.bias, fitted.chances]).toEqual([shipped.bias, shipped.chances]);
      expect(fitted.weights === shipped.weights).toBe(true);
    }, 240_000);

    it("new texts change them, and so does a text that is to be forgotten", async () => {
      const { before, known, fresh, fit } = await loaded();
      expect(fresh.some(({ row }) => before.isSeen(row))).toBe(false);
      expect(fit([...known, ...fresh]) === before.file.weights).toBe(false);
      const [one, ...others] = known;
      if (one === undefined) throw new Error("there is no text");
      expect(fit([...others, { ...one, forget: true }]) === before.file.weights).toBe(false);
    });
  });

  it("takes in what people corrected, each kind where it fits, and never the words that were refused", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "corrections-")), "corrections.jsonl");
    const decided = { category: "x", rule_id: "r" };
    const lines = [
      { kind: "route", text: "make it better", chosen: { category: "technical_explicit" } },
      { kind: "hold", text: "held words", chosen: { category: "passed", text: "purpose: ours" } },
      { kind: "refusal", text: "refused words", chosen: { category: "passed", text: "other words" } },
      { kind: "task", text: "Sign archives", section: "Tasks", chosen: { category: "none" } },
      { kind: "task", text: "Old words", section: "Tasks", chosen: { category: "task", text: "Write a page" } },
    ].map((line) => JSON.stringify({ ...line, decided, by: "ada", at: "t" }));
    writeFileSync(file, `${lines.join("\n")}\n`);
    const rowsOf = async (name: string) => {
      const { default: task } = (await import(
        new URL(`../../scripts/fit/${name}.mjs`, import.meta.url).href
      )) as unknown as {
        default: { load: (more: object) => { name: string; rows: { text?: string; label: string }[] }[] };
      };
      const rows = task.load({ corrections: file }).find((set) => set.name === "corrections")?.rows ?? [];
      return rows.map(({ text, label }) => ({ text, label }));
    };
    expect(await rowsOf("routing")).toMatchObject([{ text: "make it better" }]);
    expect(await rowsOf("safety")).toEqual([
      { text: "held words", label: "benign" },
      { text: "other words", label: "benign" },
    ]);
    expect((await rowsOf("adr")).map(({ label }) => label)).toEqual(["none", "task"]);
  });

  it("shows a figure without a case as a dash", async () => {
    const { foldTable } = (await import(new URL("../../scripts/eval/folds.mjs", import.meta.url).href)) as unknown as {
      foldTable: (title: string, parts: object[]) => string;
    };
    const figures = [{ name: "f", mean: Number.NaN, spread: Number.NaN, pooled: Number.NaN, goal: undefined }];
    expect(foldTable("t", [{ name: "texts", rows: 1, figures }])).toContain("| texts (1) | – |");
  });
});
