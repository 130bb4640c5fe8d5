import type { z } from "zod";
import { CoordinatorError } from "../../model/errors.js";
import { ExecutionGraph } from "../../model/plan/graph.js";
import { QuestionPack } from "../../model/plan/questions.js";
import { Registry } from "../../model/plan/registry.js";
import { ReviewPack } from "../../model/plan/review.js";
import { RunTape } from "../../model/tape.js";
import type { ExplainSource } from "./explain.js";
import type { FoundFile } from "./verify-plan.js";

/** The artefacts of a plan out of its files. Throws PLAN_CHANGED where a file is not what a plan's file must be. */
export function readExplainSource(found: ReadonlyMap<string, FoundFile>): ExplainSource {
  const earlier = [...found.keys()].filter((name) => /^questions-\d+\.json$/.test(name)).sort();
  const packs = [...earlier, ...(found.has("questions.json") ? ["questions.json"] : [])];
  return {
    graph: found.has("graph.json") ? artefact(found, "graph.json", ExecutionGraph) : null,
    questions: packs.map((name) => artefact(found, name, QuestionPack)),
    review: found.has("review.json") ? artefact(found, "review.json", ReviewPack) : null,
    tape: artefact(found, "tape.json", RunTape),
    registry: artefact(found, "inputs/registry.json", Registry),
  };
}

function artefact<T>(found: ReadonlyMap<string, FoundFile>, name: string, schema: z.ZodType<T>): T {
  const text = found.get(name)?.text;
  if (text === undefined) throw new CoordinatorError("PLAN_CHANGED", `${name} is missing`);
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CoordinatorError("PLAN_CHANGED", `${name} is not a plan's ${name}`, {
      cause,
      fix: "Run `coordinator verify` on the plan.",
    });
  }
}
