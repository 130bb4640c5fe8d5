// What safety learns: whether a request harms somebody.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { compilePolicy } from "../../dist/mind/intake/compile-policy.js";
import { harmReadingOf } from "../../dist/mind/intake/safety/check-safety.js";
import { compileSigns } from "../../dist/mind/intake/safety/harm-signs.js";
import { HarmSigns } from "../../dist/model/harm-signs.js";
import { IntakePolicy } from "../../dist/model/request.js";
import { ownerOf, readSet, root, shared } from "./data.mjs";

const form = { bits: 17, words: 2, characters: [3, 5] };

const readYaml = (path) => parse(readFileSync(join(root, path), "utf8"));
const policy = compilePolicy(IntakePolicy.parse(readYaml("policy/intake.yaml")));
const signs = compileSigns(HarmSigns.parse(readYaml("policy/harm-signs.yaml")));

/** Written for the project, each by another author or in another voice. */
const OWN = ["safety", "safety-voices", "safety-tickets", "safety-registers", "safety-changelog", "safety-languages"];
/** Requests that harm nobody: what they are labelled for is something else. */
const ORDINARY = ["intake", "routing"];

export default {
  name: "safety",
  classes: ["unsafe"],
  guideline: "docs/labels/safety.md",
  form,
  scales: { words: 2, characters: 2, signs: 0.2 },
  l2: 0.3,
  load() {
    const own = (name) => readSet(`${name}.jsonl`, join(root, "test", "eval-fixtures", `${name}.jsonl`));
    const beside = (name) => readSet(name, join(shared, name));
    return [
      ...[...OWN, ...ORDINARY].map(own),
      ...["safety.jsonl", "safety-2.jsonl", "requests.jsonl", "requests-2.jsonl"].map((name) => {
        const set = beside(name);
        return set === null ? null : { ...set, name: `shared/${name}` };
      }),
    ]
      .filter((set) => set !== null)
      .map(({ name, sha256, entries }) => ({ name, sha256, rows: entries.flatMap((entry) => rowsOf(name, entry)) }));
  },
  features: ({ text }) => harmReadingOf(policy, signs, form, text).features,
};

/** What may be harm and may be honest counts half as each. */
function rowsOf(set, entry) {
  const { id, text, label, author, language, source, source_repo, category, unsafe_category } = entry;
  const row = {
    id,
    set,
    text,
    language: language ?? "en",
    truth: label === "unsafe" || label === "dual_use" ? label : "benign",
    category: unsafe_category ?? category ?? null,
    group: groupOf(set, author, source_repo ?? source),
  };
  if (label === "dual_use")
    return [
      { ...row, label: "unsafe", weight: 0.5 },
      { ...row, label: "benign", weight: 0.5 },
    ];
  return [{ ...row, label: label === "unsafe" ? "unsafe" : "benign", weight: 1 }];
}

/** Who wrote it: texts of one author are learnt from or tested on, never both. */
function groupOf(set, author, source) {
  if (typeof source === "string" && source !== "") return ownerOf(source);
  return author ?? set;
}
