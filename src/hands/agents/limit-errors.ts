import type { AttemptOutcome } from "../../model/run.js";

/*
 * Messages of a provider that will not serve: too fast (try again soon) or used up (try again at a stated time). Agents
 * pass it on as an error or as their last words, each in its own way.
 */

type Structural = Extract<AttemptOutcome, { kind: "structural" }>;

export interface Clocks {
  /** Milliseconds since 1970, to read times an agent states. */
  readonly wall: () => number;
  /** Milliseconds of the run's clock, in which a wait is given. */
  readonly run: () => number;
}

const USED_UP =
  /usage limit|quota (?:exceeded|exhausted)|limit (?:reached|exceeded)|out of credits|insufficient_quota/i;
const TOO_FAST = /rate.?limit|too many requests|overloaded|\b(?:429|529)\b/i;

/** The structural failure a message of a provider stands for, or null when it is about something else. */
export function limitFailure(message: string, data: unknown, clocks: Clocks): Structural | null {
  const text = `${message} ${data === undefined ? "" : JSON.stringify(data)}`;
  // "rate limit reached" is too fast; a limit with a time at which it ends is used up.
  const until = resetTime(text, data, clocks.wall());
  const tooFast = TOO_FAST.test(text);
  if (!tooFast && !USED_UP.test(text)) return null;
  const error = tooFast && !/usage limit|quota|credits/i.test(text) ? "rate_limit" : "usage_limit";
  const wait = until === null ? {} : { wait_until_ms: Math.max(0, clocks.run() + until - clocks.wall()) };
  return { kind: "structural", error, message: message.slice(0, 2000), ...wait };
}

/** Last words that are nothing but a limit, as some agents end a turn with instead of failing. */
export function limitInOutput(output: string, clocks: Clocks): Structural | null {
  const text = output.trim();
  // goose ends its turn well with the error of its provider in these words.
  const [, error] = /^Ran into this error: ([^\n]{1,600})(?:\n\s*Please retry\b[^\n]{0,200})?$/.exec(text) ?? [];
  if (error !== undefined) return limitFailure(error, undefined, clocks);
  // codex does the same, after warnings of its own.
  const [refused] = /(?:^|\n)exceeded retry limit, last status: [45]\d\d\b[^\n]{0,200}$/.exec(text) ?? [];
  if (refused !== undefined) return limitFailure(refused.trim(), undefined, clocks);
  return /^[^\n]{0,80}usage limit (?:has been )?reached[^\n]{0,200}$/i.test(text)
    ? limitFailure(text, undefined, clocks)
    : null;
}

/** When it is over: a field of the error, an RFC 3339 time, seconds since 1970, or a number of seconds from now. */
function resetTime(text: string, data: unknown, now: number): number | null {
  for (const [key, value] of fieldsOf(data)) {
    if (/^(?:resets?_?at|reset_?time)$/i.test(key)) return epoch(value);
    if (/^retry_?after(?:_?seconds)?$/i.test(key) && Number.isFinite(Number(value))) return now + Number(value) * 1000;
    if (/^retry_?after_?ms$/i.test(key) && Number.isFinite(Number(value))) return now + Number(value);
  }
  const [stamp] = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/.exec(text) ?? [];
  if (stamp !== undefined) return epoch(stamp);
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const [, after] = /(?:retry|try again) (?:after|in) (\d+(?:\.\d+)?) ?s(?:econds?)?\b/i.exec(text) ?? [];
  return after === undefined ? null : now + Number(after) * 1000;
}

function epoch(value: unknown): number | null {
  if (typeof value === "number") return value < 1e11 ? value * 1000 : value;
  if (typeof value !== "string") return null;
  const time = /^\d+$/.test(value) ? epoch(Number(value)) : Date.parse(value);
  return time === null || Number.isNaN(time) ? null : time;
}

function fieldsOf(data: unknown, depth = 0): [string, unknown][] {
  if (typeof data !== "object" || data === null || depth > 4) return [];
  return Object.entries(data).flatMap(([key, value]) => [[key, value], ...fieldsOf(value, depth + 1)]);
}
