import { selectMemory } from "../propose/memory/select-memory.js";
import type { FactPack } from "../../model/settings/packs.js";
import type { SpecifyInput } from "./specify.js";

/* The prompt of a product agent. Equal inputs give equal texts; nothing of the environment goes into it. */

export const SPECIFY_SYSTEM =
  "You write Intent Specs: what must be true when the work is done, said so that a program can tell. You see a request, " +
  "the documents that were selected for it, facts and answers of people. There is nothing else, and nothing else can be " +
  "asked for. Rules judge what you write: what has no source there, or cannot be verified, is refused. You decide nothing " +
  "that the input leaves open: where it does not suffice, you ask.";

export function specifyPrompt({ request, documents, facts, memory, answers, checks }: SpecifyInput): string {
  const parts = [
    `## Your task: write an Intent Spec for this request\n<request>\n${request}\n</request>`,
    section(
      "The documents you were given",
      documents.map(({ ref }) => `\`document:${ref}\``),
    ),
    section("Facts", factLines(facts)),
    section(
      "Answers of people",
      answers.map(({ id, question, answer }) => `\`answer:${id}\` ${question} — ${answer}`),
    ),
    section(
      "Checks that can be run here",
      checks.map(({ name, kind, run }) => `\`${name}\` (${kind}): \`${run}\``),
    ),
    section(
      "Remembered of this project; nothing may rest on it",
      selectMemory(memory, { text: request, files: [] }).map(({ ref, text }) => `${ref}: ${text}`),
    ),
    RULES,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const RULES = [
  "## How to write it",
  "- Answer with an Intent Spec. If the input does not suffice for one, answer with `insufficient` instead: the questions a person must answer, each with why. Invent nothing.",
  "- Every requirement has a `verification` a program can run here: a check named above, a test by its name, a command that fails as long as the requirement does not hold, or what a file must hold.",
  "- Every requirement, constraint and assumption has a `source`: `request:` with words of the request as they stand there, `document:` with a reference from above, `fact:` with the name of a fact, or `answer:` with an id.",
  "- `out_of_scope` is never empty: name what is near by and not asked for. No requirement may ask for it.",
  "- `context_refs` lists the references of the documents it rests on, and no others.",
].join("\n");

function factLines(facts: FactPack | null): string[] {
  // Names of files are left out: product is not given the repository.
  const told = Object.entries(facts?.facts ?? {}).filter(
    ([name]) => !/^(?:source_files|source_folders|named_.*|defined_names|file_.*s)$/.test(name),
  );
  return told.map(([name, fact]) => {
    const values = (Array.isArray(fact) ? fact : [fact]).map(({ value }) => JSON.stringify(value));
    return `\`fact:${name}\` ${values.join(" or ")}`;
  });
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`## ${title}`, ...lines.map((line) => `- ${line}`)].join("\n");
}
