// What routing learns: the category of a request.
import { join } from "node:path";
import { routingFeatures } from "../../dist/mind/route/learned-features.js";
import { readBody } from "../../dist/mind/route/facts.js";
import { ownerOf, readSet, root, shared } from "./data.mjs";

export const CATEGORIES = ["technical_explicit", "business_strategic", "ambiguous"];
/** Where even the labeller was not sure. */
const MEDIUM = 0.6;

const form = { bits: 16, words: 3, characters: [3, 5] };

export default {
  name: "routing",
  classes: CATEGORIES,
  guideline: "docs/labels/routing.md",
  form,
  scales: { words: 1, characters: 1, signs: 0.4 },
  l2: 1,
  load() {
    const own = (name) => readSet(name, join(root, "test", "eval-fixtures", name));
    const beside = (name) => readSet(name, join(shared, name));
    return [own("routing.jsonl"), beside("requests.jsonl"), beside("requests-2.jsonl")]
      .filter((set) => set !== null)
      .map(({ name, sha256, entries }) => ({ name, sha256, rows: entries.map((entry) => rowOf(name, entry)) }));
  },
  features: ({ text }) => routingFeatures(form, readBody(text)),
};

function rowOf(set, { id, text, category, label_confidence, source_repo, group, kind, language, expected_route }) {
  return {
    id,
    set,
    text,
    kind,
    language,
    confidence: label_confidence ?? "high",
    expected_route,
    label: category,
    weight: label_confidence === "medium" ? MEDIUM : 1,
    group: source_repo === undefined ? (group ?? `${set}:${id}`) : ownerOf(source_repo),
  };
}
