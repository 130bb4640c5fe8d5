import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { readDocument } from "./read-document.js";
import { builtName, readShipped } from "./shipped-document.js";

const root = new URL("../../../", import.meta.url);
const policies = readdirSync(new URL("policy/", root)).filter((name) => name.endsWith(".yaml"));

it.each(policies)("the build has made of %s what its YAML says", async (name) => {
  const file = fileURLToPath(new URL(`policy/${name}`, root));
  const json = new URL(`dist/shipped/${builtName(readFileSync(file, "utf8"))}`, root);
  const document = await readDocument(file);
  expect(document.ok && document.value).toEqual(JSON.parse(readFileSync(json, "utf8")));
});

it("takes what was built only for the very text it was built of", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-shipped-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "policy.yaml");
  const built = pathToFileURL(`${folder}/`);
  const valueOf = async () => {
    const document = await readShipped(file, { built });
    return document.ok ? document.value : document.diagnostics;
  };
  writeFileSync(file, "a: 1\n");
  writeFileSync(join(folder, builtName("a: 1\n")), '{"a":"built"}');
  expect(await valueOf()).toEqual({ a: "built" });
  writeFileSync(file, "a: 2\n");
  expect(await valueOf()).toEqual({ a: 2 });
  writeFileSync(file, "a: [\n");
  expect(await valueOf()).toMatchObject([{ code: "DOCUMENT_SYNTAX", file }]);
});
