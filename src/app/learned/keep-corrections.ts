import { findOverrulingAnswer } from "../../mind/request/overrule.js";
import type { CompiledPolicy } from "../../mind/route/compile-policy.js";
import type { RequestAnswer } from "../../model/request-origin.js";
import type { UserRequest } from "../../model/request.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import type { RequestOptions } from "../request/request-options.js";
import { type FoundCorrection, keepCorrection } from "./corrections.js";
import { routeCorrection } from "./route-correction.js";
import { holdCorrection, readRefusedTexts, refusalCorrection } from "./safety-correction.js";
import { findTaskCorrections } from "./task-corrections.js";

interface TakenRequest {
  readonly asking: RequestOptions;
  readonly request: UserRequest;
  /** Answers of people about the words. */
  readonly answers: readonly RequestAnswer[];
  readonly routing: CompiledPolicy;
  readonly safety: Parameters<typeof holdCorrection>[0];
  readonly by: string;
  readonly at: string;
}

/** Keep what people corrected on the way to an accepted request. Contract: nothing fails when it cannot be kept. */
export async function keepCorrections(
  taken: TakenRequest,
  { project, progress }: Pick<CommandContext, "project" | "progress">,
): Promise<void> {
  const { by, at } = taken;
  try {
    for (const found of await findCorrections(taken, { project }))
      await keepCorrection(project.at, { ...found, by, at }, progress);
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    progress(`Corrections could not be looked for: ${error.message}`);
  }
}

async function findCorrections(
  { asking, request, answers, routing, safety }: TakenRequest,
  { project }: Pick<CommandContext, "project">,
): Promise<readonly FoundCorrection[]> {
  // Tasks of a queue were cut by somebody else: nothing of them was judged anew.
  if (asking.queue !== undefined) return [];
  if (asking.adr !== undefined) {
    const { source, records } = asking.adr;
    const text = records.find(({ ref }) => ref === source.file)?.text;
    return text === undefined ? [] : findTaskCorrections(project.at, source, text);
  }
  const type = asking.type ?? (findOverrulingAnswer(answers) === null ? undefined : "technical");
  const route = type === undefined ? null : routeCorrection(routing, request.user_request, type);
  const hold = holdCorrection(safety, request, answers);
  const refusal = refusalCorrection(safety, request, await readRefused(project));
  return [route, hold, refusal].filter((found) => found !== null);
}

async function readRefused(project: CommandContext["project"]): Promise<readonly string[]> {
  const reader = await project.readRuns();
  if (reader === null) return [];
  try {
    return await readRefusedTexts(reader);
  } finally {
    await reader.close();
  }
}
