// The learning of routing: the category of a request. Four kinds of texts: the project's own, which were written for it and
// alone are fitted on top of earlier weights;
// shared ones beside the project; subjects of commits; and public requests in seven languages. Of the last two the project keeps
// labels and addresses (scripts/fit/labels/commits.jsonl, docs/labels/routing-public.jsonl), and `--texts=DIR` names a folder
// with the texts: commits.jsonl (scripts/fit/commit-texts.mjs) and routing-public.jsonl (`{ sha256, text }` a line).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { compilePolicy } from "../../dist/mind/route/compile-policy.js";
import { route } from "../../dist/mind/route/route.js";
import { routingFeatures } from "../../dist/mind/route/learned-features.js";
import { readBody } from "../../dist/mind/route/facts.js";
import { correctionRows, ownerOf, readSet, root, shared } from "./data.mjs";
import { commits, NEW, newRequests, PUBLIC, publicRequests } from "./texts-of-others.mjs";

const CATEGORIES = ["technical_explicit", "business_strategic", "ambiguous"];
/** Where even the labeller was not sure. Half of the public requests are of that kind, and weigh less than the others. */
const MEDIUM = 0.6;
const PUBLIC_MEDIUM = 0.3;

const form = { bits: 16, words: 3, characters: [3, 5] };

export default {
  name: "routing",
  classes: CATEGORIES,
  guideline: "docs/labels/routing.md",
  form,
  scales: { words: 3, characters: 3, signs: 0.4 },
  l2: 1,
  load({ texts, corrections } = {}) {
    const own = (name) => readSet(name, join(root, "test", "eval-fixtures", name));
    const beside = (name) => readSet(`shared/${name}`, join(shared, name));
    const sets = [
      own("routing.jsonl"),
      own("requests.jsonl"),
      own("requests-authors.jsonl"),
      beside("requests.jsonl"),
      beside("requests-2.jsonl"),
      texts === undefined ? null : commits(texts),
      texts === undefined ? null : publicRequests(texts),
      texts === undefined ? null : newRequests(texts),
    ].filter((set) => set !== null);
    const known = sets.map(({ name, sha256, entries }) => ({
      name,
      sha256,
      rows: entries.map((entry) => rowOf(name, entry)),
    }));
    return corrections === undefined ? known : [...known, routeRows(corrections)];
  },
  features: ({ text }) => routingFeatures(form, readBody(text)),
};

const labelOf = ({ category }) =>
  category === "business" || category === "strategic" ? "business_strategic" : category;

function rowOf(set, { id, text, category, label_confidence, source_repo, author, kind, language }) {
  return {
    // Who labelled only where it goes did not say whether product gets it as business or as unclear.
    ...(category === "product" ? { open: ["business_strategic", "ambiguous"] } : {}),
    id,
    set,
    text,
    kind,
    language,
    confidence: label_confidence ?? "high",
    label: category,
    weight: label_confidence !== "medium" ? 1 : [PUBLIC, NEW].includes(set) ? PUBLIC_MEDIUM : MEDIUM,
    group: author ?? (source_repo === undefined ? `${set}:${id}` : ownerOf(source_repo)),
  };
}

// ------------------------------------------------------------------------------------------------ figures of folds

/** The decisions of the shipped policy with a model that has not seen the rows. */
export function decider(model) {
  const compiled = compilePolicy(parse(readFileSync(join(root, "policy", "routing.yaml"), "utf8")), model);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return ({ text, id }) => {
    const decision = route(compiled.policy, { task_id: id, input: { body: text }, context_registry: [] });
    return { dev: decision.routed_to === "dev", category: labelOf(decision.classification ?? {}) };
  };
}

const one = (rows) => rows.filter(({ row }) => row.kind === "terse");
const set = (name) => (rows) => rows.filter(({ row }) => row.set === name);

/** The parts of the data that are told apart, each with what it should reach. Only texts of other people are counted. */
export const PARTS = [
  {
    name: "first set",
    goals: { "dev precision": 0.97, "dev recall": 0.88, "accuracy, high confidence": 0.95, "macro-F1": 0.86 },
    of: set("shared/requests.jsonl"),
  },
  {
    name: "second set",
    goals: { "dev precision": 0.93, "dev recall": 0.78, "accuracy, high confidence": 0.9, "macro-F1": 0.74 },
    of: set("shared/requests-2.jsonl"),
  },
  {
    name: "second set, labels of high confidence",
    goals: {},
    of: (rows) => set("shared/requests-2.jsonl")(rows).filter(({ row }) => row.confidence === "high"),
  },
  {
    name: "second set, one line",
    goals: { "dev recall": 0.65 },
    of: (rows) => one(set("shared/requests-2.jsonl")(rows)),
  },
  {
    name: "second set, not English",
    goals: {},
    of: (rows) => set("shared/requests-2.jsonl")(rows).filter(({ row }) => row.language !== "en"),
  },
  {
    name: "public requests, labels of high confidence",
    goals: {},
    of: (rows) => set(PUBLIC)(rows).filter(({ row }) => row.confidence === "high"),
  },
  {
    name: "the same, one line",
    goals: {},
    of: (rows) => one(set(PUBLIC)(rows)).filter(({ row }) => row.confidence === "high"),
  },
  {
    name: "the same, not English",
    goals: {},
    of: (rows) => set(PUBLIC)(rows).filter(({ row }) => row.confidence === "high" && row.language !== "en"),
  },
  { name: "public requests, all labels", goals: {}, of: set(PUBLIC) },
  {
    name: "newest requests, labels of high confidence",
    goals: {},
    of: (rows) => set(NEW)(rows).filter(({ row }) => row.confidence === "high"),
  },
  { name: "newest requests, all labels", goals: {}, of: set(NEW) },
];

/** `decided`: `{ row, decision }`. */
export function score(decided) {
  const dev = decided.filter(({ decision }) => decision.dev);
  const technical = decided.filter(({ row }) => row.label === "technical_explicit");
  const right = dev.filter(({ row }) => row.label === "technical_explicit");
  const sure = decided.filter(({ row }) => row.confidence === "high");
  const sureRight = sure.filter(({ row, decision }) => decision.dev === (row.label === "technical_explicit"));
  // Who labelled only where it goes said nothing of the category.
  const told = decided.some(({ row }) => row.open !== undefined) ? [] : decided;
  const f1 = CATEGORIES.map((category) => {
    const given = told.filter(({ decision }) => decision.category === category);
    const actual = told.filter(({ row }) => row.label === category);
    const both = given.filter(({ row }) => row.label === category);
    return (2 * both.length) / Math.max(1, given.length + actual.length);
  });
  return {
    "dev precision": right.length / dev.length,
    "dev recall": right.length / technical.length,
    "accuracy, high confidence": sureRight.length / sure.length,
    "macro-F1": told.length === 0 ? Number.NaN : f1.reduce((sum, value) => sum + value, 0) / f1.length,
  };
}

const routeRows = (path) => correctionRows(path, ["route"], ({ text, chosen }) => ({ text, label: labelOf(chosen) }));
