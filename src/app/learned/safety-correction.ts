import type { EventReader } from "../../hands/store/event-store.js";
import { isRequestRecord, newestFirst } from "../../hands/store/list-runs.js";
import { intake } from "../../mind/intake/intake.js";
import { isSafetyQuestion } from "../../mind/intake/safety/check-safety.js";
import type { HarmModel } from "../../mind/intake/safety/judge-harm.js";
import type { IntakePolicy } from "../../model/intake-policy.js";
import type { UserRequest } from "../../model/request.js";
import type { RequestAnswer } from "../../model/request-origin.js";
import type { FoundCorrection } from "./corrections.js";

/* Corrections of safety by an accepted request: it was held first, or refused in other words. */

interface SafetyLayer {
  readonly policy: IntakePolicy;
  readonly harm: HarmModel;
}

/** A hold whose questions a person answered so that the request was accepted; null when nothing was held. Contract: pure. */
export function holdCorrection(
  { policy, harm }: SafetyLayer,
  request: UserRequest,
  answers: readonly RequestAnswer[],
): FoundCorrection | null {
  const said = answers.filter(({ id, answer }) => isSafetyQuestion(id) && answer.trim() !== "");
  if (said.length === 0) return null;
  const { decision, safety_category: category, rule_id } = intake(policy, request, undefined, { harm });
  if (decision === "approved" || decision === "rejected" || category === null) return null;
  const text = said.map(({ id, answer }) => `${id}: ${answer.trim()}`).join("\n");
  return {
    kind: "hold",
    text: request.user_request,
    decided: { category, rule_id },
    chosen: { category: "passed", text },
  };
}

/**
 * A refusal that a person answered with other words for the same: of the refused texts, newest first, the first that is alike;
 * null when none is. Only a refusal by the policy of today counts. Contract: pure.
 */
export function refusalCorrection(
  { policy, harm }: SafetyLayer,
  request: UserRequest,
  refused: readonly string[],
): FoundCorrection | null {
  const words = request.user_request;
  for (const text of refused) {
    if (text === words || likenessOf(text, words) < ALIKE) continue;
    const { decision, safety_category, rule_id } = intake(policy, { ...request, user_request: text }, undefined, {
      harm,
    });
    if (decision !== "rejected" || safety_category === null) continue;
    const decided = { category: safety_category, rule_id };
    return { kind: "refusal", text, decided, chosen: { category: "passed", text: words } };
  }
  return null;
}

/** So many requests back: what somebody rewords was asked a short while ago. */
const MOST_REQUESTS = 20;

/** The texts of requests that were refused because they would harm, the newest first. */
export async function readRefusedTexts(reader: EventReader): Promise<readonly string[]> {
  const records = (await newestFirst(reader)).filter(({ run_id }) => isRequestRecord(run_id)).slice(0, MOST_REQUESTS);
  const found: string[] = [];
  for (const { run_id } of records) {
    let words: string | null = null;
    for await (const { event } of reader.read(run_id)) {
      if (event.type === "request_received") words = event.request;
      if (event.type === "intake_decided" && event.decision === "rejected" && event.unsafe && words !== null)
        found.push(words);
    }
  }
  return found;
}

/** Two wordings of one request share most of their pairs of letters; requests about other things do not. */
const ALIKE = 0.6;

/** How much two texts share of their pairs of letters, 0 to 1. Words would say nothing in scripts without spaces. */
export function likenessOf(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  if (left.size + right.size === 0) return 0;
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared++;
  return (2 * shared) / (left.size + right.size);
}

function pairsOf(text: string): ReadonlySet<string> {
  const letters = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ");
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < letters.length; at++) pairs.add(letters.slice(at, at + 2));
  return pairs;
}
