import type { RunTask } from "../../model/run.js";
import { compilePaths } from "../../mind/scope/paths.js";
import type { ExaminedTask } from "./suspect/examine.js";
import type { VerifyRequest } from "./verify.js";
import type { AttemptResult } from "../attempts/attempt-order.js";

/** The guardrail that asks about settings of checks by their names alone. */
const BY_NAME = "protect_check_settings";

/** Work on what people read in the code. */
const WORDS =
  /\b(?:comments?|docs?|docstrings?|documentation|jsdoc|readme|typos?|spelling|wording|grammar|formatting|whitespace|indentation)\b/i;

/** Selects what the examination needs of a task: a finding of a guardrail is not asked about twice. */
export function examinedTask(
  { type, builder, scope, title, description = "" }: RunTask,
  { gate }: Pick<AttemptResult, "gate">,
  { blocked, accepted = [] }: Pick<VerifyRequest, "blocked" | "accepted">,
): ExaminedTask {
  const paths = (gate?.findings ?? []).filter(({ rule_id }) => rule_id === BY_NAME).map(({ path }) => path);
  const write = compilePaths(scope?.write ?? []);
  return {
    ...(type === undefined ? {} : { type }),
    ...(builder === undefined ? {} : { builder }),
    names: write.names,
    isAboutWords: WORDS.test(`${title} ${description}`),
    asked: new Set(paths),
    isHeld: blocked.length > 0,
    isAccepted: ({ kind, id }) => accepted.some((one) => one.kind === kind && one.id === id),
  };
}
