import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { type FeatureForm, type Features, featuresOf } from "./features.js";
import { judge, reasonsFor, rootOf } from "./judge-text.js";
import { type LearnedModel, modelOf, type WeightFile } from "./model.js";
import { piecesOf } from "./pieces.js";

const FORM: FeatureForm = { bits: 14, words: 2, characters: [3, 4] };
const read = (text: string) => featuresOf(FORM, text, [{ tag: "all", start: 0, end: text.length }]);
const listsOf = ({ buckets, starts, ends, count }: Features) => ({
  buckets: [...buckets.subarray(0, count)],
  starts: [...starts.subarray(0, count)],
  ends: [...ends.subarray(0, count)],
});
const hashesOf = (text: string) => piecesOf(text, 0, text.length).map(({ hash }) => hash);

/** A model of two classes in which every feature of a text speaks for the first. */
function modelFor(text: string): LearnedModel {
  const weights = new Int16Array(2 << FORM.bits);
  for (const bucket of listsOf(read(text)).buckets) weights[2 * bucket] = 100;
  const chances = Array.from({ length: 99 }, (_, i) => i * 100);
  return { name: "t", form: FORM, classes: ["yes", "no"], bias: [0, 0], chances: [chances, chances], weights };
}

describe("features of a text", () => {
  it("see the kind of a name of code, whatever it is called", () => {
    expect(hashesOf("Add --json")[1]).toBe(hashesOf("Add --verbose")[1]);
    expect(hashesOf("call parseHead")[1]).toBe(hashesOf("call read_body")[1]);
    expect(hashesOf("see src/a.ts")[1]).toBe(hashesOf("see lib/b/c.py")[1]);
    expect(hashesOf("Add json")[1]).not.toBe(hashesOf("Add verbose")[1]);
  });

  it("take each sign of a script without blanks for a word", () => {
    const text = "修复登录";
    expect(piecesOf(text, 0, text.length)).toHaveLength(4);
    expect(read(text).sizes[0]).toBeGreaterThanOrEqual(7);
  });

  it("tell zones apart and count signs in steps", () => {
    const zone = (tag: string) => listsOf(featuresOf(FORM, "fix it", [{ tag, start: 0, end: 6 }])).buckets;
    expect(zone("title")).not.toEqual(zone("said"));
    const sign = (count: number) => featuresOf(FORM, "", [], [{ name: "x", count, start: 0, end: 0 }]).sizes[2];
    expect([0, 1, 2, 4, 5, 100].map(sign)).toEqual([0, 1, 2, 3, 4, 6]);
  });

  it("are the same for the same text, within their range, for any text", () => {
    assert(
      property(string({ unit: "binary", maxLength: 300 }), (text) => {
        const { buckets, starts, ends } = listsOf(read(text));
        expect(listsOf(read(text)).buckets).toEqual(buckets);
        expect(new Set(buckets).size).toBe(buckets.length);
        expect(buckets.every((bucket) => Number.isInteger(bucket) && bucket >= 0 && bucket < 1 << FORM.bits)).toBe(
          true,
        );
        expect(starts.every((start, i) => start >= 0 && (ends[i] ?? 0) <= text.length)).toBe(true);
      }),
    );
  });
});

describe("a judgement", () => {
  it("adds weights in whole numbers and says the chance of each class", () => {
    const model = modelFor("Add --json to cleanup");
    const { scores, chances } = judge(model, read("Add --json to cleanup"));
    expect(scores.every(Number.isInteger)).toBe(true);
    expect(scores[0]).toBeGreaterThan(5_000);
    expect(scores[1]).toBe(0);
    expect(chances).toEqual([99, 1]);
    expect(judge(model, read("")).scores).toEqual([0, 0]);
  });

  it("names the places that speak for a class, the strongest first, none twice", () => {
    const model = modelFor("cleanup");
    const text = "do run cleanup now";
    const reasons = reasonsFor(model, read(text), 0, 3);
    expect(reasons.map(({ start, end }) => text.slice(start, end))).toEqual(["cleanup"]);
    expect(reasonsFor(model, read(text), 1, 3)).toEqual([]);
  });

  it("takes roots in whole numbers", () => {
    for (const n of [0, 1, 2, 3, 4, 15, 16, 17, 65_536, 2 ** 31, 2 ** 40 - 1]) {
      const root = rootOf(n);
      expect(root * root <= n && (root + 1) * (root + 1) > n).toBe(true);
    }
  });
});

describe("a file of weights", () => {
  const steps = Array.from({ length: 99 }, (_, i) => i);
  const file: WeightFile = {
    format: 1,
    model: "t",
    form: FORM,
    classes: ["a"],
    guideline: "",
    data: [],
    bias: [0],
    chances: [steps],
    weights: "",
  };

  it("is read with the low byte first", () => {
    const bytes = new Uint8Array(2 << FORM.bits);
    bytes.set([1, 2, 0xff, 0xff]);
    expect(modelOf(file, bytes).weights.slice(0, 2)).toEqual(new Int16Array([513, -1]));
  });

  it("decides nothing when it is cut off", () => {
    expect(() => modelOf(file, new Uint8Array(5))).toThrow("not whole");
    expect(() => modelOf({ ...file, chances: [[1]] }, new Uint8Array(2 << FORM.bits))).toThrow("not whole");
  });
});
