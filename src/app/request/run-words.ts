import { randomBytes } from "node:crypto";
import { requireAgent } from "../../hands/attempts/agents-of.js";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { diagnosticsOf } from "../../model/diagnostic.js";
import { UserRequest } from "../../model/request.js";
import { slugOf } from "../../mind/propose/words.js";
import type { Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { createProject, type Creating } from "../init/create-project.js";
import type { Given } from "./read-request.js";
import { clarifications } from "./answers-to-plan.js";
import { asResponse } from "./answer-request.js";
import { type RequestOptions, requestOf, withoutSaidSecrets } from "./request-options.js";
import { readAnswers } from "./intake.js";
import { type KeptRun, plansFolder, type PreparedRequest } from "./saved-request.js";
import { type Approval, type RequestContext, planAndRun } from "./plan-and-run.js";
import { enterProject } from "../project/enter-project.js";
import { inputFailure } from "../project/input-failure.js";
import type { RunArguments } from "../run/run-arguments.js";
import { warnWithoutEffect } from "../project/describe-trust.js";
import { currentUser } from "../decide/current-user.js";

/**
 * Plan what is asked for, have the plan approved, and carry it out.
 *
 * Contract: what is wrong with the settings or the request is the outcome, and nothing is recorded then. Throws
 * NOT_FOUND for an agent that is not configured. Stops where it is when `around.interrupted` ends, and can be resumed.
 */
export async function runFromWords(
  asking: Omit<RequestOptions, "out">,
  run: KeptRun & Pick<RunArguments, "unsafeNoSandbox">,
  approval: Approval,
  around: RequestContext,
): Promise<Finished> {
  const { context } = around;
  const receivedAt = context.parts.now();
  const loaded = await context.project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  warnWithoutEffect(loaded.trust, context.warn);
  requireAgent(undefined, loaded.configuration, run.agent);
  const whole = await prepareRequest(asking, run, context);
  if ("exitCode" in whole) return whole;
  return planAndRun(
    {
      whole,
      record: null,
      answers: [],
      unsafeNoSandbox: run.unsafeNoSandbox === true,
      receivedAt,
    },
    approval,
    around,
  );
}

/** Everything of a request settled but the answers that are still to come, or why it is none. */
export async function prepareRequest(
  asked: Omit<RequestOptions, "out">,
  run: KeptRun,
  context: CommandContext,
): Promise<PreparedRequest | Finished> {
  const asking = withoutSaidSecrets(asked);
  const now = context.parts.now();
  const timestamp = asking.now ?? now;
  const out = plansFolder(context.project.at, folderName(now, asking.words), context.cwd);
  const request = UserRequest.safeParse(asking.request ?? requestOf({ ...asking, out }, timestamp, context));
  const clarified = await readAnswers(asking.clarify, context.cwd);
  if (!request.success || !clarified.ok)
    return inputFailure([
      ...(request.success ? [] : diagnosticsOf(request.error, "DOCUMENT_INVALID")),
      ...(clarified.ok ? [] : clarified.problems),
    ]);
  const by = currentUser(asking.by, context.project);
  return {
    request: request.data,
    asking: { ...asking, now: timestamp, by, clarify: undefined, request: request.data, out },
    clarified: withoutSecrets([...clarifications(clarified.value, by), ...(asking.answers ?? [])]),
    run,
  };
}

/**
 * Runs a whole request document, in the project it names; returns the response to it.
 *
 * Contract: as `runFromWords`, in the project that the document names. Anything but a request document is refused before
 * a project is made or entered.
 */
export async function runRequest(
  given: Given,
  asking: Omit<RequestOptions, "out" | "words" | "request">,
  run: Parameters<typeof runFromWords>[1],
  approval: Approval,
  around: RequestContext & { readonly creating: Pick<Creating, "given" | "ask"> },
): Promise<Finished> {
  if (!given.ok) return inputFailure(given.problems);
  if (given.form === "words")
    return inputFailure([
      {
        code: "DOCUMENT_INVALID",
        path: "",
        file: given.file,
        message: "is not a user request",
        fix: "{request_id, timestamp, user_request} as JSON or YAML; plain words go without --request, `coordinator run -` from stdin.",
      },
    ]);
  const parsed = UserRequest.safeParse(given.value);
  if (!parsed.success) return inputFailure(placeIn(given, diagnosticsOf(parsed.error, "DOCUMENT_INVALID")));
  const path = parsed.data.context?.project_path;
  const { by, again } = asking;
  const creating = { ...around.creating, by, again, environment: around.context.project.environment };
  const created = path === undefined ? null : await createProject(path, parsed.data, creating, around.context);
  if (created !== null && "exitCode" in created) return created;
  const context =
    path === undefined ? around.context : await enterProject(path, "context.project_path", "run", around.context);
  const request = addPreferences(parsed.data, asking);
  const answers = created === null ? [] : [created];
  const ended = await runFromWords({ ...asking, words: request.user_request, request, answers }, run, approval, {
    ...around,
    context,
  });
  return asResponse(ended, context.project);
}

/** Adds the preferences of the request; the command line counts before them. */
function addPreferences(
  request: UserRequest,
  said: Pick<RequestOptions, "model" | "sensitivity" | "maxTokens" | "maxSeconds">,
): UserRequest {
  const preferences = {
    ...request.context?.preferences,
    ...(said.model === undefined ? {} : { model: said.model }),
    ...(said.maxTokens === undefined ? {} : { max_budget_tokens: said.maxTokens }),
    ...(said.maxSeconds === undefined ? {} : { max_time_seconds: said.maxSeconds }),
  };
  const data = said.sensitivity === undefined ? {} : { data_sensitivity: said.sensitivity };
  return { ...request, context: { ...request.context, preferences, ...data } };
}

function folderName(now: string, words: string): string {
  const stamp = now.replaceAll(/[-:]/g, "").slice(0, 15).replace("T", "-");
  // Equal words may be typed at two terminals in one second.
  return `${stamp}-${slugOf(words)}-${randomBytes(2).toString("hex")}`;
}
