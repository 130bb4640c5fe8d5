import { z } from "@hono/zod-openapi";
import type { Finished } from "../../app/report.js";
import { toJson } from "../../app/json/to-json.js";
import { HttpProblem, problemIn } from "../problem.js";

/* Parts that several operations share. */

export const ProjectParams = z.object({ project: z.string().regex(/^prj_[0-9a-f]{12}$/) });
export const RunId = z
  .string()
  .regex(/^(?:last|(?:run|req)_[A-Za-z0-9_-]{1,80})$/)
  .describe("The id of a run or of a request, or `last`.");
export const RunParams = ProjectParams.extend({ run: RunId });

export const TaskParams = RunParams.extend({ task: z.string().min(1).max(400) });

/** The JSON of what a use case found. Contract: throws HttpProblem where it ended with an error. */
export function answerOf(finished: Finished): object {
  const problem = problemIn(finished);
  if (problem !== null) throw new HttpProblem(problem);
  return toJson(finished.report) as object;
}
