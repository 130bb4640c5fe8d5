import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../src/model/errors.js";
import { HTTP_CODES } from "../../src/server/problem.js";
import { root } from "./program.js";

const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.includes(join("src", "testing")))
  .map((path) => readFileSync(path, "utf8"));

/** Codes as they are written: in a diagnostic, or handed to one of the functions that make diagnostics or failures. */
function writtenCodes(text: string): string[] {
  const written = /(?:code: |diagnosticsOf\([^()]*, |diagnostic\(|fail\([^"`]{0,60}, |problem\()"([A-Z][A-Z0-9_]+)"/g;
  const documents = /"(DOCUMENT_[A-Z_]+)"/g;
  return [...text.matchAll(written), ...text.matchAll(documents)].map(([, code = ""]) => code);
}

/** The text of a call from its opening bracket to the closing one. */
function callAt(text: string, open: number): string {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")" && --depth === 0) return text.slice(open, i + 1);
  }
  return "";
}

/** A guard that fails without diagnostics of its own is reported under its name. */
function guardCodes(text: string): string[] {
  return [...text.matchAll(/(?<!function )\b(?:blockGuard|abortGuard)\(/g)].flatMap(({ index, 0: head }) => {
    const call = callAt(text, index + head.length - 1);
    if (call.includes("diagnostics")) return [];
    const [, literal] = /^\(\s*"(\w+)"/.exec(call) ?? [];
    const before = [...text.slice(0, index).matchAll(/const name = "(\w+)"/g)].at(-1)?.[1];
    const named = literal ?? before;
    return named === undefined ? packGuards(text) : [named.toUpperCase()];
  });
}

/** Guards whose name is an argument: they are named where they are called. */
function packGuards(text: string): string[] {
  return [...text.matchAll(/packGuard\("(\w+)"/g)].map(([, name = ""]) => name.toUpperCase());
}

describe("docs/errors", () => {
  const pages = readdirSync(join(root, "docs", "errors")).map((name) => name.replace(/\.md$/, ""));
  const redLines = ["I1", "I2", "I3", "I4"].map((line) => `RED_LINE_${line}`);
  const codes = new Set([
    ...ERROR_CODES,
    ...HTTP_CODES,
    ...redLines,
    ...sources.flatMap((text) => [...writtenCodes(text), ...guardCodes(text)]),
  ]);

  it("sees the codes it judges", () => {
    for (const code of [
      "USAGE",
      "INTERNAL",
      "FILE_WRITE_FAILED",
      "RULE_UNDECIDABLE",
      "REGISTRY_DUPLICATE",
      "GRAPH_IS_ACYCLIC",
      "FACT_PACK_AVAILABLE",
    ])
      expect(codes).toContain(code);
  });

  it("has a page for every code", () => {
    expect([...codes].filter((code) => !pages.includes(code))).toEqual([]);
  });

  it("has a code for every page", () => {
    expect(pages.filter((page) => !codes.has(page))).toEqual([]);
  });

  it.each(pages)("%s says what it means, where it comes from and how to fix it", (page) => {
    const text = readFileSync(join(root, "docs", "errors", `${page}.md`), "utf8");
    expect(text).toMatch(
      new RegExp(`^# ${page}\\n\\n.+\\n\\n\\*\\*Where\\.\\*\\* .+\\n\\n\\*\\*How to fix\\.\\*\\* .+\\n$`),
    );
  });
});
