import { join, relative } from "node:path";
import { loadConfiguration } from "../../configuration/load-configuration.js";
import { placeIn } from "../../documents/places.js";
import { missingGround, type MissingGround } from "../../execute/first-commit.js";
import { diagnosticsOf } from "../../model/diagnostic.js";
import { UserRequest } from "../../model/request.js";
import { slugOf } from "../../planner/words.js";
import { findRoot, stateFolder } from "../../runs/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { finished, type Finished, type PlanMade } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import type { Given } from "./read-request.js";
import { toText } from "../views/human/to-text.js";
import { asResponse, recorded } from "./answer-request.js";
import { type Asking, planFromWords } from "./plan-words.js";
import { inputFailure } from "./project.js";
import { type Undone, undoneByRules } from "./undone.js";
import { carryOutPlan, type RunArguments } from "./run.js";
import type { Watcher } from "./watch.js";

/** How a person approves: beforehand, when asked, or later. */
export interface Approval {
  readonly given: boolean;
  /** Null when nobody can be asked. */
  readonly ask: ((shown: string) => Promise<boolean>) | null;
}

/** Plan what is asked for, have the plan approved, and carry it out. */
export async function runFromWords(
  asking: Omit<Asking, "out">,
  run: Omit<RunArguments, "plan" | "resume" | "last" | "waits">,
  approval: Approval,
  { surroundings, watcher, interrupted, environment }: Around,
): Promise<Finished> {
  const at = stateFolder(findRoot("."));
  const loaded = await loadConfiguration(at.root, environment);
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const out = relative(".", join(at.folder, "plans", folderName(surroundings.parts.now(), asking.words)));
  const unsafeNoSandbox = run.unsafeNoSandbox === true;
  const around = { surroundings, environment, signal: interrupted, unsafeNoSandbox };
  const planned = await planFromWords({ ...asking, out }, at, loaded.configuration, around);
  const { finished: ended } = planned;
  const record = (undone: Undone, shown: Finished) =>
    recorded(shown, undone, at, loaded.configuration, surroundings, environment);
  if (planned.status === "ended") return planned.undone === undefined ? ended : record(planned.undone, ended);
  const { report } = planned.finished;
  if (planned.made.outcome.state !== "DONE")
    return record(undoneByRules(planned.made, planned.opening), { ...ended, report: withRun(report) });
  const missing = await missingGround(at.root, environment);
  const needed = loaded.configuration.run.plan_needs_approval && !approval.given;
  const approved = !needed || (approval.ask !== null && (await approval.ask(shown(report, missing))));
  if (!approved && approval.ask !== null) return finished(EXIT.waiting, report);
  const carriedOut = await carryOutPlan(
    { ...run, plan: out, waits: !approved, mayCommit: approval.given || (approved && approval.ask !== null) },
    surroundings,
    watcher,
    interrupted,
    environment,
  );
  if (approved || carriedOut.report.type !== "watched") return carriedOut;
  const { run_id: runId, needs_you } = carriedOut.report.overview;
  const approve = needs_you.flatMap(({ kind, commands }) => (kind === "plan_approval" ? commands.slice(0, 1) : []));
  return finished(EXIT.waiting, { ...report, runId, next: [...approve, "coordinator run --last"] });
}

/** The same for a whole request, in the project it names; and it ends in the response to it. */
export async function runRequest(
  given: Given,
  asking: Omit<Asking, "out" | "words" | "request">,
  run: Parameters<typeof runFromWords>[1],
  approval: Approval,
  around: Around & { readonly enter: (project: string) => void },
): Promise<Finished> {
  if (!given.ok) return inputFailure(given.problems);
  if (given.form === "words")
    return inputFailure([
      {
        code: "DOCUMENT_INVALID",
        path: "",
        message: "is no user request",
        fix: "{request_id, timestamp, user_request} as JSON or YAML; plain words need no --request.",
      },
    ]);
  const parsed = UserRequest.safeParse(given.value);
  if (!parsed.success) return inputFailure(placeIn(given, diagnosticsOf(parsed.error, "DOCUMENT_INVALID")));
  const path = parsed.data.context?.project_path;
  if (path !== undefined) around.enter(path);
  const request = preferringToo(parsed.data, asking);
  const ended = await runFromWords({ ...asking, words: request.user_request, request }, run, approval, around);
  return asResponse(ended, stateFolder(findRoot(".")), around.environment);
}

/** What is said on the command line counts before what the request prefers. */
function preferringToo(request: UserRequest, said: Pick<Asking, "model" | "maxTokens" | "maxSeconds">): UserRequest {
  const preferences = {
    ...request.context?.preferences,
    ...(said.model === undefined ? {} : { model: said.model }),
    ...(said.maxTokens === undefined ? {} : { max_budget_tokens: said.maxTokens }),
    ...(said.maxSeconds === undefined ? {} : { max_time_seconds: said.maxSeconds }),
  };
  return { ...request, context: { ...request.context, preferences } };
}

function shown(report: PlanMade, missing: MissingGround | null): string {
  const ground = missing === null ? "" : "\nThere is no commit here yet: a first, empty one will be made.\n";
  return `${toText(report, { color: false })}${ground}`;
}

export interface Around {
  readonly surroundings: Surroundings;
  readonly watcher: Watcher;
  readonly interrupted: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
}

/** A plan that waits for answers is gone on with and then carried out by its folder. */
function withRun(report: PlanMade): PlanMade {
  if (report.outcome.state !== "AWAITING_ANSWERS" || report.writtenTo === null) return report;
  return { ...report, next: [...report.next.slice(0, 2), `coordinator run --plan ${report.writtenTo}`] };
}

function folderName(now: string, words: string): string {
  return `${now.replaceAll(/[-:]/g, "").slice(0, 15).replace("T", "-")}-${slugOf(words)}`;
}
