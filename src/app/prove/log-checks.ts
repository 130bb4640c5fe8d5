import type { ChainFinding, ChainVerdict } from "../../hands/store/chain/verify-chain.js";
import type { AnchorNotes } from "./anchors.js";
import type { ChosenKey, KeyFinding } from "./choose-key.js";
import type { Derivation } from "./derive.js";
import type { PublicKey } from "../project/open-runs.js";
import type { RememberedRun } from "../project/remembered.js";
import type { PlanFinding } from "./verify-frozen-plan.js";
import type { RecordFinding, VerifiedRecords } from "./verify-records.js";
import { describeRequirements, type VerifiedRequirements } from "./verify-requirements.js";

/* Checks of a run's log, each as one line that people read. */

/** One thing that is not as it was written, and the event it is about. */
export interface LogFinding {
  readonly kind:
    | ChainFinding["kind"]
    | RecordFinding["kind"]
    | PlanFinding["kind"]
    | KeyFinding["kind"]
    | "impossible"
    | "incomplete"
    | "store"
    | "commit"
    | "statement";
  readonly sequence: number;
  readonly message: string;
}

export interface LogCheck {
  readonly name:
    | "chain"
    | "checkpoints"
    | "anchors"
    | "memory"
    | "key"
    | "store"
    | "fold"
    | "plan"
    | "records"
    | "commits"
    | "statement"
    | "requirements";
  /** Null: there was nothing to check it by. */
  readonly passed: boolean | null;
  readonly detail: string;
}

const OF_CHECKPOINTS = new Set<ChainFinding["kind"]>(["truncated", "replaced", "unsigned"]);

export function chainCheck({ findings, events }: ChainVerdict): LogCheck {
  const first = findings.find(({ kind }) => !OF_CHECKPOINTS.has(kind));
  return first === undefined
    ? { name: "chain", passed: true, detail: `${events} events, each chained to the one before it` }
    : { name: "chain", passed: false, detail: first.message };
}

export function checkpointCheck({ findings }: ChainVerdict, count: number, key: PublicKey | null): LogCheck {
  const name = "checkpoints";
  if (key === null) return { name, passed: null, detail: `${count} there, and no key to check them with` };
  const first = findings.find(
    ({ kind, message }) => OF_CHECKPOINTS.has(kind) && !/anchor|this machine remembers/i.test(message),
  );
  if (first !== undefined) return { name, passed: false, detail: first.message };
  return count === 0
    ? { name, passed: null, detail: "none is due yet" }
    : { name, passed: true, detail: `${count} signed with the key ${key.id}` };
}

export function anchorCheck(
  { findings }: ChainVerdict,
  anchors: readonly AnchorNotes[],
  key: PublicKey | null,
  notRead: readonly string[] = [],
): LogCheck {
  const name = "anchors";
  const count = anchors.reduce((sum, { notes }) => sum + notes.length, 0);
  if (anchors.length === 0)
    return {
      name,
      passed: null,
      detail: notRead.length === 0 ? "none was given" : "those that settings name were not read",
    };
  if (key === null) return { name, passed: null, detail: `${count} there, and no key to check them with` };
  if (count === 0) return { name, passed: null, detail: "none of them knows this run" };
  const first = findings.find(({ message }) => /an anchor/i.test(message));
  return first === undefined
    ? { name, passed: true, detail: `${count} kept elsewhere, and the log agrees` }
    : { name, passed: false, detail: first.message };
}

export function memoryCheck({ findings }: ChainVerdict, remembered: RememberedRun | null): LogCheck[] {
  const name = "memory";
  if (remembered === null) return [{ name, passed: null, detail: "this machine remembers nothing of the run" }];
  const first = findings.find(({ message }) => /this machine remembers/i.test(message));
  return first === undefined
    ? [
        {
          name,
          passed: true,
          detail: `${remembered.where} knows event ${remembered.checkpoint.sequence}, and the log agrees`,
        },
      ]
    : [{ name, passed: false, detail: first.message }];
}

/** Only where something is wrong with it: which key signed is said with the checkpoints. */
export function keyCheck({ findings: [first] }: ChosenKey): LogCheck[] {
  return first === undefined ? [] : [{ name: "key", passed: false, detail: first.message }];
}

export function storeCheck(problems: readonly string[] | null): LogCheck[] {
  if (problems === null) return [];
  const [first] = problems;
  return first === undefined
    ? [{ name: "store", passed: true, detail: "its tables and rows are those this program keeps" }]
    : [{ name: "store", passed: false, detail: first }];
}

export function foldCheck({ impossible, reported, derived }: Derivation): LogCheck {
  return impossible === null
    ? { name: "fold", passed: true, detail: `${reported} events reported, ${derived} more follow from them by rule` }
    : { name: "fold", passed: false, detail: `Event ${impossible.sequence}: ${impossible.why}` };
}

/** Null where one is not proven: that says something about the work, and nothing against the log. */
export function requirementsCheck(requirements: VerifiedRequirements, intact: boolean): LogCheck {
  const all = requirements.results.every(({ proven }) => proven);
  const detail = describeRequirements(requirements);
  return { name: "requirements", passed: intact && all ? true : null, detail };
}

export function recordsCheck({ named, findings }: VerifiedRecords): LogCheck[] {
  const name = "records";
  if (named === 0) return [];
  const [first] = findings ?? [];
  if (first !== undefined) return [{ name, passed: false, detail: first.message }];
  return findings === null
    ? [{ name, passed: null, detail: `${named} named by checksum, and none is here to be compared` }]
    : [{ name, passed: true, detail: `${named} beside the log, each with the checksum the log names` }];
}
