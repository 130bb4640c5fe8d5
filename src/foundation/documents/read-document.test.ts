import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDocument } from "./read-document.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "documents-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function read(name: string, content: string | Uint8Array) {
  const file = join(folder, name);
  await writeFile(file, content);
  const result = await readDocument(file);
  if (result.ok) return result.value;
  for (const diagnostic of result.diagnostics) expect(diagnostic.file).toBe(file);
  return result.diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);
}

describe("readDocument [S4-094]", () => {
  test.each<[name: string, content: string, expected: unknown]>([
    ["a.json", '{"a": 1}', { a: 1 }],
    ["b.json", "\ufeff[1]", [1]],
    ["c.yaml", "a: 1\n", { a: 1 }],
    ["d.YML", "{a: 1}", { a: 1 }],
    ["no-extension", ' {"a": 1}', { a: 1 }],
    ["also-none", "a: 1", { a: 1 }],
    ["e.json", "a: 1", ["DOCUMENT_SYNTAX 1:1"]],
    ["f.yaml", "a: 1\n---\nb: 2\n", ["DOCUMENT_SEVERAL 3:1"]],
    ["g.yaml", "# nothing\n", ["DOCUMENT_EMPTY 1:1"]],
    ["h.yaml", "a: 1\na: 2\n", ["DOCUMENT_DUPLICATE_KEY 2:1"]],
  ])("%s: %j", async (name, content, expected) => {
    expect(await read(name, content)).toEqual(expected);
  });

  test("says where a value stands in either format", async () => {
    for (const [name, content] of [
      ["p.json", '{\n  "a": [7]}'],
      ["p.yaml", "# x\n\na: [7]"],
    ] as const) {
      await read(name, content);
      const result = await readDocument(join(folder, name));
      expect(result.ok && result.locate(["a", 0])).toEqual(
        name === "p.json" ? { line: 2, column: 9 } : { line: 3, column: 5 },
      );
    }
  });

  test("refuses bytes that are not UTF-8", async () => {
    expect(await read("latin1.json", Uint8Array.of(0x22, 0xe9, 0x22))).toEqual([
      "DOCUMENT_ENCODING undefined:undefined",
    ]);
  });

  test("refuses a file over the limit, also one that has no size", async () => {
    const file = join(folder, "large.json");
    await writeFile(file, "");
    await truncate(file, 1_000_000_000);
    expect(await readDocument(file)).toMatchObject({ ok: false, diagnostics: [{ code: "DOCUMENT_TOO_LARGE", file }] });
    if (process.platform === "linux")
      expect(await readDocument("/proc/self/smaps", { maxBytes: 1000 })).toMatchObject({
        ok: false,
        diagnostics: [{ code: "DOCUMENT_TOO_LARGE" }],
      });
  });

  test("refuses what is not a regular file at once", async () => {
    if (process.platform === "win32") return;
    await expect(readDocument("/dev/zero")).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
      message: expect.stringContaining("it is a device"),
    });
  });

  test("throws for a file that is not there or cannot be read", async () => {
    await expect(readDocument(join(folder, "none.json"))).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      message: expect.stringContaining("none.json") as string,
      fix: expect.any(String) as string,
    });
    await expect(readDocument(folder)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  });
});
