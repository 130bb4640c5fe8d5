import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { scanRepository } from "../../hands/facts/scan-repository.js";
import { uuidOf } from "../../model/uuid-of.js";
import { type ClarificationAnswer, withAnswers } from "../../mind/intake/answers.js";
import { explainIntake } from "../../mind/intake/explain.js";
import { intake } from "../../mind/intake/intake.js";
import { toResponse } from "../../mind/intake/respond.js";
import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import { text } from "../../model/primitives.js";
import { IntakePolicy } from "../../model/intake-policy.js";
import { ClarificationQuestion, type IntakeDecision, type RepositoryFacts, UserRequest } from "../../model/request.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { type Decided, runBatch } from "./batch.js";
import { onOneLine } from "../project/on-one-line.js";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { readShipped } from "../../foundation/documents/shipped-document.js";
import type { HarmModel } from "../../mind/intake/safety/judge-harm.js";
import { readHarmModel } from "../learned/harm-model.js";
import { inputFailure } from "../project/input-failure.js";
import { findFirst, type Input, readInput, readRaw } from "../project/read-input.js";
import { type Given, readRequest, STDIN } from "./read-request.js";
import { type Short, shortRequest } from "./short-request.js";
import type { Streams } from "../streams.js";

export interface IntakeArguments {
  readonly file: string;
  readonly batch: boolean;
  readonly policy: string | undefined;
  readonly answers: string | undefined;
  readonly repo: string | undefined;
  readonly id: string | undefined;
  readonly now: string | undefined;
  readonly explain: boolean;
}

const POLICY_FILES = ["governance/intake-policy.yaml", "governance/intake-policy.yml", "governance/intake-policy.json"];

/** Decide whether a request is taken on. Contract: the policy and the answers are whole, or nothing is decided. */
export async function takeIn(
  args: IntakeArguments,
  { parts, cwd }: CommandContext,
  streams: Streams,
): Promise<Finished> {
  const policy = await readIntakePolicy(args.policy, cwd);
  const answers = await readAnswers(args.answers, cwd);
  if (!policy.ok || !answers.ok)
    return inputFailure([...(policy.ok ? [] : policy.problems), ...(answers.ok ? [] : answers.problems)]);
  if (args.repo !== undefined) await mustBeFolder(resolve(cwd, args.repo), args.repo);
  const now = args.now ?? parts.now();
  const look = openRepositoryReader(args.repo, cwd, streams.note);
  const harm = await readHarmModel();
  if (args.batch)
    return runBatch(args.file, cwd, streams, (value, line) =>
      decideLine(policy.value, value, line, { now, look, parts, harm }),
    );

  const given = await readRequest(args.file, cwd, streams.input);
  if (!given.ok) return inputFailure(given.problems);
  if (given.form === "document" && args.id !== undefined)
    return fail(EXIT.invalid, "USAGE", "--id goes with a request in plain words", {
      fix: `${args.file} is a document and has an id of its own.`,
    });
  const short = given.form === "words" ? null : shortRequest(given.value, FULL_FORM);
  if (given.form === "document" && short?.success === false)
    return inputFailure(placeIn(given, diagnosticsOf(short.error, "DOCUMENT_INVALID")));
  const request = requestOf(given, short?.data ?? null, args.id, now, parts);
  const parsed = UserRequest.safeParse(request);
  const problems = parsed.success ? [] : diagnosticsOf(parsed.error, "DOCUMENT_INVALID");
  const answered = parsed.success ? withAnswers(parsed.data, answers.value) : request;
  const facts = parsed.success ? await look(parsed.data) : undefined;
  const decision = intake(policy.value, answered, facts, { harm, answers: answers.value });
  const response_id = uuidOf(parts.sha256(JSON.stringify([now, decision])));
  return finish(parsed.success ? EXIT_OF[decision.decision] : EXIT.invalid, {
    type: "intake",
    decision,
    response: toResponse(decision, { response_id, timestamp: now }),
    policyId: policy.value.policy_id,
    problems: given.form === "words" ? problems : placeIn(given, problems),
    screen: args.explain ? explainIntake(onOneLine(decision)) : null,
    again: `coordinator intake ${args.file} --answers answers.yaml${args.file === STDIN ? " < request.txt" : ""}`,
  });
}

/** The named policy, the project's own, or the one that comes with the package. */
export async function readIntakePolicy(file: string | undefined, cwd: string): Promise<Input<IntakePolicy>> {
  const found = file ?? (await findFirst(POLICY_FILES, cwd));
  return found === undefined
    ? readInput(shippedPolicy(), IntakePolicy, cwd, readShipped)
    : readInput(found, IntakePolicy, cwd);
}

const EXIT_OF: Readonly<Record<IntakeDecision["decision"], ExitCode>> = {
  approved: EXIT.done,
  needs_clarification: EXIT.waiting,
  rejected: EXIT.refused,
};

type Parts = CommandContext["parts"];
type Look = (request: UserRequest) => Promise<RepositoryFacts | undefined>;

function shippedPolicy(): string {
  return fileURLToPath(new URL("../../../policy/intake.yaml", import.meta.url));
}

const FULL_FORM = ["request_id", "user_request", "timestamp", "context", "attachments"];

function requestOf(
  given: Extract<Given, { ok: true }>,
  short: Short | null,
  id: string | undefined,
  now: string,
  parts: Parts,
): unknown {
  if (given.form === "words")
    return { request_id: id ?? randomUUID(), timestamp: now, user_request: given.text } satisfies UserRequest;
  return short === null ? given.value : fullRequest(short, now, parts);
}

async function decideLine(
  policy: IntakePolicy,
  value: unknown,
  line: number,
  {
    now,
    look,
    parts,
    harm,
  }: { readonly now: string; readonly look: Look; readonly parts: Parts; readonly harm: HarmModel },
): Promise<Decided> {
  const short = shortRequest(value, FULL_FORM);
  if (short?.success === false) return { ok: false, problems: diagnosticsOf(short.error, "DOCUMENT_INVALID") };
  const parsed = UserRequest.safeParse(short === null ? value : fullRequest(short.data, now, parts));
  if (!parsed.success) {
    const meant = FULL_FORM.some((field) => typeof value === "object" && value !== null && Object.hasOwn(value, field));
    return { ok: false, problems: meant ? diagnosticsOf(parsed.error, "DOCUMENT_INVALID") : [NEITHER] };
  }
  const decision = intake(policy, parsed.data, await look(parsed.data), { harm });
  const id = short === null ? decision.request_id : short.data.id;
  return { ok: true, record: { type: "intake", line, id, ...decision } };
}

const NEITHER: Diagnostic = {
  code: "DOCUMENT_INVALID",
  path: "",
  message: "is neither {id, text} nor a request {request_id, timestamp, user_request}",
};

/** The short form as a full request. An id that is not a UUID gives one, always the same for the same request. */
function fullRequest({ id, text: words }: Short, now: string, parts: Parts): UserRequest {
  const request_id = z.uuid().safeParse(id).success ? id : uuidOf(parts.sha256(JSON.stringify([id, words])));
  return { request_id, timestamp: now, user_request: words };
}

const MOST_REMEMBERED = 16;

/** Look at the repository of a request, at each one once. A repository that cannot be read is noted and decides nothing. */
function openRepositoryReader(repo: string | undefined, cwd: string, note: Streams["note"]): Look {
  const known = new Map<string, RepositoryFacts | undefined>();
  return async ({ context }) => {
    const path = repo ?? context?.project_path;
    if (path === undefined) return undefined;
    if (known.has(path)) return known.get(path);
    const place = resolve(cwd, path);
    const { facts, notes } = await scanRepository(place);
    // As it was named by the person who asks.
    for (const message of notes) note(message.replace(place, () => path));
    if (known.size < MOST_REMEMBERED) known.set(path, facts ?? undefined);
    return facts ?? undefined;
  };
}

async function mustBeFolder(path: string, shown: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true)
    throw new CoordinatorError("FILE_NOT_FOUND", `There is no directory ${shown} to look at.`, {
      fix: "Name the repository with --repo DIR.",
    });
}

const { id: QuestionId } = ClarificationQuestion.shape;
const AnswerText = text(1, 100_000);
const AnswerList = z.array(z.strictObject({ id: QuestionId, answer: AnswerText }));
const AnswerMap = z.partialRecord(QuestionId, AnswerText);

/** Answers as `id: answer`, or as a list of both. */
export async function readAnswers(
  file: string | undefined,
  cwd: string,
): Promise<Input<readonly ClarificationAnswer[]>> {
  if (file === undefined) return { ok: true, value: [], file: "", locate: () => ({ line: 1, column: 1 }) };
  const raw = await readRaw(file, cwd);
  if (!raw.ok) return raw;
  const schema = Array.isArray(raw.value)
    ? AnswerList
    : AnswerMap.transform((map) =>
        QuestionId.options.flatMap((id) => (map[id] === undefined ? [] : [{ id, answer: map[id] }])),
      );
  const parsed = schema.safeParse(raw.value);
  if (parsed.success) return { ...raw, value: parsed.data };
  const fix = `An answer's id is one of ${QuestionId.options.join(", ")}.`;
  const problems = diagnosticsOf(parsed.error, "DOCUMENT_INVALID").map((problem) => ({ ...problem, fix }));
  return { ok: false, problems: placeIn(raw, problems) };
}
