import { describe, expect, it } from "vitest";
import { z } from "zod";
import { diagnosticsOf, documentPath } from "./diagnostic.js";
import { ERROR_CODES, CoordinatorError } from "./errors.js";
import { command } from "../testing/plan-fixtures.js";
import { CommandEntry, unsafePath } from "./plan/registry.js";

describe("documentPath", () => {
  it.each([
    [[], ""],
    [["a"], "a"],
    [["a", 0, "b"], "a[0].b"],
    [[0, "a"], "[0].a"],
    [["a b", "c"], '["a b"].c'],
    [["a", "x-y", "__proto__"], 'a["x-y"].__proto__'],
    [["", 'say "hi"'], '[""]["say \\"hi\\""]'],
  ] as const)("%j is %s", (segments, path) => {
    expect(documentPath(segments)).toBe(path);
  });
});

it("diagnosticsOf names unknown keys one by one, with their place [S4-098]", () => {
  const schema = z.strictObject({ list: z.array(z.strictObject({ n: z.number() })) });
  const { error } = schema.safeParse({ list: [{ n: 1 }, { n: "x", y: 1, z: 2 }] });
  if (error === undefined) throw new Error("it should not parse");
  expect(diagnosticsOf(error, "CODE").map(({ code, path, message }) => `${code} ${path} ${message}`)).toEqual([
    "CODE list[1].n invalid input: expected number, received string",
    "CODE list[1].y is not a field of this document",
    "CODE list[1].z is not a field of this document",
  ]);
});

describe("unsafePath", () => {
  it.each(["/a", "C:/a", "c:\\a", "a\\b", "..", "a/..", "../a", "a/../b", "a\0b"])("refuses %j", (path) => {
    expect(unsafePath(path)).not.toBeNull();
    expect(CommandEntry.safeParse({ ...command("some_command"), writes: [path] }).success).toBe(false);
  });
  it.each(["a", "a/b.ts", "...", "a..b", "..a", "**/*.ts", "C"])("takes %j", (path) => {
    expect(unsafePath(path)).toBeNull();
    expect(CommandEntry.safeParse({ ...command("some_command"), writes: [path] }).success).toBe(true);
  });
});

it("a CoordinatorError keeps its code, its cause and whether to try again", () => {
  const cause = new Error("disk");
  const error = new CoordinatorError("FILE_UNREADABLE", "cannot read", { cause, retryable: true, fix: "Try again" });
  expect(error).toMatchObject({
    name: "CoordinatorError",
    code: "FILE_UNREADABLE",
    retryable: true,
    fix: "Try again",
    cause,
  });
  expect(new CoordinatorError("USAGE", "no").cause).toBeUndefined();
  expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
});
