import { describe, expect, it } from "vitest";
import { type Abilities, listLacking, type Needs, needsText } from "./work-order.js";

const NEEDS: Needs = { labels: [], data: "internal", sandbox: true, programs: [] };
const WORKER: Abilities = {
  labels: ["gpu"],
  accepts: ["public", "internal"],
  sandbox: "strong",
  without_sandbox: false,
  agents: ["scripted"],
  lacks: ["claude"],
};

describe("what a worker lacks", () => {
  it.each<[string, Partial<Needs>, string[]]>([
    ["nothing for usual work", {}, []],
    ["no label it has", { labels: ["gpu"] }, []],
    ["a label it has not", { labels: ["gpu", "java-21"] }, ["the label java-21"]],
    ["leave for confidential data", { data: "confidential" }, ["leave to work on confidential data"]],
    ["leave for restricted data", { data: "restricted" }, ["leave to work on restricted data"]],
    ["leave to go on without a sandbox", { sandbox: false }, ["leave to work without a sandbox"]],
    ["a program that was looked for", { programs: ["node", "claude"] }, ["the program claude"]],
  ])("is %s", (_, needs, lacks) => {
    expect(listLacking({ ...NEEDS, ...needs }, WORKER)).toEqual(lacks);
  });

  it("is nothing where its own settings accept the class", () => {
    expect(listLacking({ ...NEEDS, data: "confidential" }, { ...WORKER, accepts: ["confidential"] })).toEqual([]);
  });

  it("is a sandbox where it has none", () => {
    expect(listLacking(NEEDS, { ...WORKER, sandbox: "none" })).toEqual(["a sandbox"]);
  });
});

describe("needs as text", () => {
  it("are equal when they are the same, in whatever order and how often they are said", () => {
    const one = needsText({ ...NEEDS, labels: ["b", "a"], programs: ["x", "x"] });
    expect(needsText({ ...NEEDS, labels: ["a", "b", "b"], programs: ["x"] })).toBe(one);
    expect(needsText({ ...NEEDS, labels: ["a"], programs: ["x"] })).not.toBe(one);
  });
});
