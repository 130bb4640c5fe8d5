// `npm run words`: takes the words of `policy/` into modules of the mind, which reads no files.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (file) => parse(readFileSync(at(file), "utf8"));
const from = (file) => `// Written by \`npm run words\` from ${file}. Do not edit.`;

function statusWords(file) {
  const entries = Object.entries(read(file).statuses).map(([status, { english, abroad, without_spaces, alone }]) => {
    const lists = { words: [...english, ...abroad], parts: without_spaces, alone };
    const fields = Object.entries(lists).map(
      ([name, words]) => `    ${name}: ${words === undefined ? "null" : JSON.stringify(words.join("|"))},`,
    );
    return `  {\n    status: ${JSON.stringify(status)},\n${fields.join("\n")}\n  },`;
  });
  return `${from(file)}
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

function routingPhrases(file) {
  const { phrases, words, orders_abroad: abroad } = read(file);
  const marks = (list) => JSON.stringify(typeof list === "string" ? list.trim().split(/\s+/).join(" ") : list);
  const orders = Object.entries(abroad).map(([name, list]) => `  ${name}: ${marks(list)},`);
  const lists = Object.entries(phrases).map(([name, list]) => `  ${name}: ${JSON.stringify(list)},`);
  return `${from(file)}

export const PHRASES = {
${lists.join("\n")}
} satisfies Record<string, readonly string[]>;

export const CHANGE_VERBS = ${JSON.stringify(words.change_verbs.join(" "))};
export const CHANGE_OPENERS = ${JSON.stringify(words.change_openers.join(" "))};

export const ORDERS_ABROAD = {
${orders.join("\n")}
};
`;
}

function headings(file) {
  const entries = Object.entries(read(file).headings).map(([role, names]) => `  ${role}: ${JSON.stringify(names)},`);
  return `${from(file)}

export const HEADINGS = {
${entries.join("\n")}
} satisfies Record<string, readonly string[]>;
`;
}

function smallWords(file) {
  const entries = Object.entries(read(file).languages).map(([name, words]) => `  ${name}: ${JSON.stringify(words)},`);
  return `${from(file)}

export const SMALL_WORDS = {
${entries.join("\n")}
} satisfies Record<string, string>;
`;
}

/** A module with one string of words. */
const wordsIn = (file, entry, name) => `${from(file)}

export const ${name} = ${JSON.stringify(read(file)[entry])};
`;

writeFileSync(at("src/mind/adr/status-word-lists.ts"), statusWords("policy/adr-status.yaml"));
writeFileSync(at("src/mind/route/signals/phrase-lists.ts"), routingPhrases("policy/routing-phrases.yaml"));
writeFileSync(at("src/mind/adr/heading-lists.ts"), headings("policy/adr-headings.yaml"));
writeFileSync(at("src/foundation/text/small-words.ts"), smallWords("policy/small-words.yaml"));
writeFileSync(
  at("src/mind/intake/reading/foreign-words.ts"),
  wordsIn("policy/small-words.yaml", "foreign", "FOREIGN_WORDS"),
);
writeFileSync(
  at("src/mind/propose/template/deliverable-words.ts"),
  wordsIn("policy/deliverables.yaml", "deliverables", "DELIVERABLE_WORDS"),
);
