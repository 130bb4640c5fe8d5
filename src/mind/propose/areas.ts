import type { IntentV100 } from "../../model/plan/intent.js";
import type { ProposedTask } from "../../model/proposal.js";

type Area = IntentV100["scope"]["targets"]["areas"][number];

const FRONTEND = /\.(?:tsx|jsx|vue|svelte|css|scss|html)$|(?:^|\/)(?:components|pages|frontend|web|client|ui)\//i;
const DATA = /\.sql$|(?:^|\/)(?:migrations?|schema)\b/i;

/** Lists the parts of a project that tasks concern, by their types and paths. */
export function areasOf(tasks: readonly ProposedTask[]): Area[] {
  const areas = new Set<Area>();
  for (const { type, files, tests } of tasks) {
    if (type === "docs") areas.add("docs");
    if (type === "infra") areas.add("infra");
    if (type === "test" || tests.length > 0) areas.add("tests");
    if (type === "docs" || type === "infra" || type === "test") continue;
    areas.add(files.some((path) => FRONTEND.test(path)) ? "frontend" : "backend");
    if (files.some((path) => DATA.test(path))) areas.add("data");
  }
  return [...areas].sort();
}
