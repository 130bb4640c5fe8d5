import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ExecutionIntent } from "../../model/plan/intent.js";
import { sealedText } from "./sealed-text.js";

const checksum = "a".repeat(64);
const versions = { workflows: {}, agents: {}, commands: { run_tests: "1.0.0" }, rules: {} };
const sealed = { audit: { checksum }, registry_versions: versions } as unknown as ExecutionIntent;
const older = { audit: { checksum } } as unknown as ExecutionIntent;

const TEXTS: readonly [name: string, form: "json" | "yaml", text: string][] = [
  ["compact JSON", "json", '{"id":"x","audit":{"checksum":"0"}}'],
  [
    "JSON with versions",
    "json",
    '{\n  "registry_versions": {"rules": {}},\n  "audit": { "checksum": "0", "by": "a" }\n}\n',
  ],
  ["JSON without a checksum", "json", '{"id":"x","audit":{}}'],
  ["YAML", "yaml", "# mine\nid: x # yours\naudit:\n  by: a\n  checksum: '0'\n"],
  ["YAML without a last line break", "yaml", "audit: { checksum: '0' }\nid: x"],
  [
    "YAML with versions in the middle",
    "yaml",
    "registry_versions:\n  rules:\n    a: 1.0.0\n# kept\naudit: { checksum: '0' }\n",
  ],
  ["YAML with versions on one line", "yaml", "registry_versions: { rules: {} }\naudit: { checksum: '0' }\n"],
  ["YAML without a checksum", "yaml", "id: x\naudit: { by: a }\n"],
  ["YAML that is JSON", "yaml", '{"id": "x", "audit": {"checksum": "0"}}'],
];

describe("a sealed text", () => {
  it.each(TEXTS)("%s says the same and the seal", (_, form, text) => {
    const document = parse(text) as { audit: object };
    const read = form === "json" ? (t: string): unknown => JSON.parse(t) : (t: string): unknown => parse(t);
    const wanted = { ...document, audit: { ...document.audit, checksum }, registry_versions: versions };
    const result = sealedText(text, form, document, sealed);
    expect(read(result)).toEqual(wanted);
    const again = sealedText(result, form, read(result), sealed);
    expect(read(again)).toEqual(wanted);
    expect(sealedText(again, form, read(again), sealed)).toBe(again);
    expect(read(sealedText(text, form, document, older))).toEqual({
      ...document,
      audit: { ...document.audit, checksum },
    });
  });

  it("keeps comments and the order", () => {
    const text = "# mine\nid: x # yours\naudit:\n  checksum: '0'\n\n# end\n";
    const result = sealedText(text, "yaml", parse(text), older);
    expect(result).toBe(text.replace("'0'", JSON.stringify(checksum)));
  });
});
