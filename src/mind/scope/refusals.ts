import type { Judgement, Refusal, ToolUse } from "../../model/scope.js";
import { type CommandPurpose, purposeOf } from "./commands/command-purpose.js";
import { saysUnfinished } from "./last-words.js";

/*
 * Refused uses of an agent, and whether its work may still depend on it when its attempt has ended. A refusal is settled
 * when the agent did it in another way within the scope, or when nothing could depend on it; every other one is for a
 * person to decide.
 */

/** Uses of tools and how they were judged, in the order in which they came. */
export interface JudgedUse {
  readonly use: ToolUse;
  readonly judgement: Judgement;
}

export interface AttemptEnd {
  /** Paths that the result changes. */
  readonly changed: readonly string[];
  /** The commands of the project's checks. */
  readonly checks: readonly string[];
  /** The last words of the agent. */
  readonly said: string;
}

/** Contract: pure; one entry for each thing that was refused, however often it was asked for, in the order it was first. */
export function weighRefusals(uses: readonly JudgedUse[], end: AttemptEnd): Refusal[] {
  const found = new Map<string, Refusal>();
  const isUnfinished = saysUnfinished(end.said) !== null;
  const purposes = new Map<string, CommandPurpose>();
  const purpose = (line: string) => {
    const known = purposes.get(line) ?? purposeOf(line);
    purposes.set(line, known);
    return known;
  };
  for (const [at, { use, judgement }] of uses.entries()) {
    if (!isRefused(use, judgement)) continue;
    const key = JSON.stringify([use.kind, use.command, use.paths]);
    const later = uses.slice(at + 1).filter((one) => one.judgement.decision === "allow");
    const settled = settlementOf(use, { before: uses.slice(0, at), later, end, isUnfinished, purpose });
    found.set(key, refusalOf(use, judgement, settled));
  }
  return [...found.values()];
}

/** Selects the refusals that the work may depend on. */
export function listOpenRefusals(refusals: readonly Refusal[]): Refusal[] {
  return refusals.filter(({ settled }) => settled === undefined);
}

const isRefused = (use: ToolUse, { decision }: Judgement) =>
  use.stage === "request" && (decision === "ask" || decision === "deny");

interface RefusalContext {
  readonly before: readonly JudgedUse[];
  readonly later: readonly JudgedUse[];
  readonly end: AttemptEnd;
  readonly isUnfinished: boolean;
  readonly purpose: (line: string) => CommandPurpose;
}

/** Why the work does not depend on it; null when it may. */
function settlementOf(use: ToolUse, around: RefusalContext): string | null {
  const written = pathsWrittenBy(use, around);
  const edited = pathsEditedLater(around);
  if (written.length > 0 && written.every((path) => edited.has(path))) return "the same files were changed later";
  if (use.kind === "switch_mode" || use.kind === "think") return "nothing is changed by it";
  if (use.command !== null) return settlementOfCommand(use.command, around);
  // An agent that says it is not done may be so for want of what it could not look at.
  const looks = use.kind === "read" || use.kind === "search" || use.kind === "fetch";
  return looks && !around.isUnfinished ? "it would only have looked" : null;
}

function settlementOfCommand(line: string, around: RefusalContext): string | null {
  const { before, later, end, isUnfinished, purpose } = around;
  const wanted = purpose(line);
  const ran = (one: JudgedUse) => (one.use.command === null ? null : purpose(one.use.command));
  if (wanted.names.length > 0 && later.some((one) => covers(ran(one), wanted)))
    return "the same was run in another form";
  if (wanted.cleans) return "it would only have cleaned up after tools";
  if (wanted.keepsHistory) return "results are taken from the files, and not from commits";
  if (wanted.verifies && wanted.writes.length === 0) {
    const all = [...before.filter((one) => one.judgement.decision === "allow"), ...later];
    const checks = new Set(end.checks.flatMap((check) => purpose(check).names));
    const isCheck = (did: CommandPurpose | null) =>
      did !== null && (did.verifies || did.names.some((name) => checks.has(name)));
    if (all.some((one) => isCheck(ran(one)))) return "checks of the project were run";
  }
  return wanted.looks && !isUnfinished ? "it would only have looked" : null;
}

const covers = (did: CommandPurpose | null, wanted: CommandPurpose) =>
  did !== null && wanted.names.every((name) => did.names.includes(name)) && wanted.writes.length === 0;

function pathsWrittenBy({ paths, command }: ToolUse, { purpose }: RefusalContext): string[] {
  const own = paths.filter(({ access }) => access !== "read").map(({ path }) => path);
  return [...own, ...(command === null ? [] : purpose(command).writes)].map(plain);
}

function pathsEditedLater({ later, end }: RefusalContext): ReadonlySet<string> {
  const effects = later.filter(({ use }) => use.stage === "deed");
  const written = effects.flatMap(({ use }) => use.paths.filter(({ access }) => access !== "read"));
  return new Set([...end.changed, ...written.map(({ path }) => path)].map(plain));
}

const plain = (path: string) => path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");

const MOST_TEXT = 400;

function refusalOf(use: ToolUse, { rule_id, reason, addition }: Judgement, settled: string | null): Refusal {
  const written = use.paths.filter(({ access }) => access !== "read").map(({ path }) => path);
  return {
    kind: use.kind,
    what: tell(use),
    paths: written.slice(0, 100),
    command: use.command === null ? null : use.command.slice(0, 4096),
    rule_id,
    reason: reason.slice(0, 1000),
    ...(addition === undefined ? {} : { addition }),
    ...(settled === null ? {} : { settled }),
  };
}

const VERB: Readonly<Partial<Record<ToolUse["kind"], string>>> = {
  execute: "run",
  other: "use",
  switch_mode: "change to",
};

function tell({ kind, command, paths, hosts, title }: ToolUse): string {
  const names = paths.length > 0 ? paths.map(({ path }) => path) : hosts;
  const about = command ?? (names.length > 0 ? names.slice(0, 3).join(", ") : title);
  const more = command === null && names.length > 3 ? ` and ${names.length - 3} more` : "";
  const text = `${VERB[kind] ?? kind} ${about}${more}`;
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text;
}
