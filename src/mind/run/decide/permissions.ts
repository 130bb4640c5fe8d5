import type { EventOf, RunEvent } from "../../../model/event.js";

/*
 * Permissions that the coding agent a person talks to asks for, outside of any run: whether it may use a tool of its own
 * program once. Each is a log of its own with one question, which ends with the answer. A person answers it and nobody
 * else: `answerers.ts` names no such question as anybody else's.
 */

const PREFIX = "permission:";

export interface PermissionAnswer {
  readonly allowed: boolean;
  /** The message to the agent with a refusal; empty when there is none. */
  readonly words: string;
}

export const PERMISSION_OPTIONS: readonly string[] = ["allow", "deny"];

export function permissionId(digest: string): string {
  return `${PREFIX}${digest.slice(0, 12)}`;
}

export function isPermission(questionId: string): boolean {
  return questionId.startsWith(PREFIX);
}

/** Contract: pure. Null for words that say neither. */
export function readPermission(answer: string): PermissionAnswer | null {
  const [, how, words = ""] = /^\s*(allow|deny)\s*(?:[:,-]\s*([\s\S]*))?$/i.exec(answer) ?? [];
  return how === undefined ? null : { allowed: how.toLowerCase() === "allow", words: words.trim() };
}

/** Why an answer is none to a request for permission; null when it is, or when it is about something else. */
export function permissionRefusal({ question_id, answer }: EventOf<"question_answered">): string | null {
  if (!isPermission(question_id) || readPermission(answer) !== null) return null;
  return 'answer "allow", "deny" or "deny: WHY"';
}

/** A request for permission is over with its answer. */
export function permissionSettled({ question_id, answer, decider }: EventOf<"question_answered">): readonly RunEvent[] {
  const said = isPermission(question_id) ? readPermission(answer) : null;
  if (said === null) return [];
  return [
    { type: "run_finished", status: "completed", reason: `${said.allowed ? "allowed" : "denied"} by ${decider.by}` },
  ];
}
