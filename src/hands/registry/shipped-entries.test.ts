import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { builtName } from "../../foundation/documents/shipped-document.js";
import { builtInRegistryDirectory } from "./load-registry.js";
import { readEntries } from "./read-entries.js";
import { findRegistryFiles } from "./registry-files.js";
import { readShippedEntries, type ShippedEntries } from "./shipped-entries.js";

const BUILT = new URL("../../../dist/shipped/registry.json", import.meta.url);

it("the build has made of every file of the registry what reading it gives", async () => {
  const { files } = await findRegistryFiles(builtInRegistryDirectory(), { optional: false });
  expect(files.length).toBeGreaterThan(20);
  const built = JSON.parse(readFileSync(fileURLToPath(BUILT), "utf8")) as ShippedEntries;
  for (const file of files) {
    const read = await readEntries(file);
    const shipped = await readShippedEntries(file, built);
    const plain = (each: typeof read) =>
      each.entries.map(({ entry, position, whenPosition }) => ({ entry, position, whenPosition, file: file.file }));
    expect(shipped === null ? null : plain(shipped), file.file).toEqual(plain(read));
  }
});

it("takes what was built only for the very text it was built of", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-shipped-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "rules.yaml");
  writeFileSync(file, "[]\n");
  const built: ShippedEntries = { [builtName("[]\n")]: [] };
  expect(await readShippedEntries({ kind: "rule", file }, built)).toEqual({ entries: [], diagnostics: [] });
  writeFileSync(file, "[ ]\n");
  expect(await readShippedEntries({ kind: "rule", file }, built)).toBeNull();
  rmSync(file);
  expect(await readShippedEntries({ kind: "rule", file }, built)).toBeNull();
});
