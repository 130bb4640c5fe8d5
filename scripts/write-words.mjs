// `npm run words`: takes the words of `policy/adr-status.yaml` into a module of the mind, which reads no files.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
export const MODULE = at("src/mind/adr/status-word-lists.ts");

/** The text of the module. */
export function moduleOfWords() {
  const { statuses } = parse(readFileSync(at("policy/adr-status.yaml"), "utf8"));
  const entries = Object.entries(statuses).map(([status, { english, abroad, without_spaces, alone }]) => {
    const lists = { words: [...english, ...abroad], parts: without_spaces, alone };
    const fields = Object.entries(lists).map(
      ([name, words]) => `    ${name}: ${words === undefined ? "null" : JSON.stringify(words.join("|"))},`,
    );
    return `  {\n    status: ${JSON.stringify(status)},\n${fields.join("\n")}\n  },`;
  });
  return `// Written by \`npm run words\` from policy/adr-status.yaml. Do not edit.
import type { AdrStatus } from "../../model/adr.js";

interface StatusWords {
  readonly status: AdrStatus;
  /** Whole words. */
  readonly words: string;
  /** Parts of words. */
  readonly parts: string;
  /** Whole texts. */
  readonly alone: string | null;
}

export const STATUS_WORDS: readonly StatusWords[] = [
${entries.join("\n")}
];
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(MODULE, moduleOfWords());
