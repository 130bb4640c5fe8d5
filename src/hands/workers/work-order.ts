import { z } from "zod";
import { canonicalJson } from "../../foundation/canonical-json/canonical.js";
import { Configuration } from "../../model/settings/configuration.js";
import { Sensitivity } from "../../model/primitives.js";
import { RunTask } from "../../model/run.js";
import { AttemptOrder, AttemptResult } from "../attempts/attempt-order.js";
import type { Waiver } from "../../mind/run/task-record.js";

/*
 * Work that is offered to workers: everything one of them needs to do it, on a machine that has nothing of the project but
 * its git remote.
 */

/**
 * The contract between coordinators and workers: the form of the work, of its result, and of the tables and refs between
 * them. Raised by every change of one of these.
 */
export const ENGINE_PROTOCOL = "1";

/** The needs of a piece of work. */
export const Needs = z.strictObject({
  labels: z.array(z.string()),
  /** The most sensitive data that the whole run is about: a worker fetches all of its tree. */
  data: Sensitivity,
  /** False where a person ordered the run to go on without a sandbox. */
  sandbox: z.boolean(),
  /** Programs that must be found: of the agent, or of the checks. */
  programs: z.array(z.string()),
});
export type Needs = z.infer<typeof Needs>;

/** Contract: equal needs give equal text. */
export function needsText(needs: Needs): string {
  const sortWords = (words: readonly string[]) => [...new Set(words)].sort();
  return canonicalJson({ ...needs, labels: sortWords(needs.labels), programs: sortWords(needs.programs) });
}

const AttemptWork = z.strictObject({ kind: z.literal("attempt"), order: AttemptOrder });

const ProofWork = z.strictObject({
  kind: z.literal("proof"),
  run_id: z.string(),
  attempt: z.int(),
  task: RunTask,
  result: AttemptResult,
  /** The waivers of people. */
  waivers: z.custom<readonly Waiver[]>((value) => Array.isArray(value)),
  configuration: Configuration,
  /** The commit the run began with. */
  pristine: z.string(),
  /** Set where it is known that nothing had to be changed any more. */
  nothing_due: z.boolean(),
  unsafe_no_sandbox: z.boolean(),
});

export const Work = z.discriminatedUnion("kind", [AttemptWork, ProofWork]);
export type Work = z.infer<typeof Work>;
export type AttemptWork = z.infer<typeof AttemptWork>;
export type ProofWork = z.infer<typeof ProofWork>;

/** How a piece of work ended, as its workflow records it. */
export type WorkEnd =
  /** The result stands on a ref of the remote, which is what counts. */
  | { readonly status: "on_ref"; readonly ref: string }
  | { readonly status: "value"; readonly value: unknown }
  | { readonly status: "stopped" }
  | { readonly status: "failed"; readonly message: string }
  /** Its worker cannot do it for a reason of its machine: another worker may do it as it is. */
  | { readonly status: "given_back"; readonly message: string };

/** The abilities of a worker, as it reports them. */
export const Abilities = z.strictObject({
  labels: z.array(z.string()),
  /** The classes of data it accepts. */
  accepts: z.array(Sensitivity),
  sandbox: z.string(),
  /** Whether it does work for runs that a person ordered to go on without a sandbox. */
  without_sandbox: z.boolean(),
  agents: z.array(z.string()),
  /** Programs that were asked for and are not there. */
  lacks: z.array(z.string()),
});
export type Abilities = z.infer<typeof Abilities>;

/**
 * The needs of some work that a worker lacks, in words; empty where it fits. Contract: pure. Programs count only where the worker is
 * known to lack them: which it has is found out when it is asked.
 */
export function listLacking(needs: Needs, { labels, accepts, sandbox, without_sandbox, lacks }: Abilities): string[] {
  return [
    ...needs.labels.filter((label) => !labels.includes(label)).map((label) => `the label ${label}`),
    ...(accepts.includes(needs.data) ? [] : [`leave to work on ${needs.data} data`]),
    ...(needs.sandbox && sandbox === "none" ? ["a sandbox"] : []),
    ...(needs.sandbox || without_sandbox ? [] : ["leave to work without a sandbox"]),
    ...needs.programs.filter((program) => lacks.includes(program)).map((program) => `the program ${program}`),
  ];
}
