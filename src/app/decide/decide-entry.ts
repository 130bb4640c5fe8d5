import { formsOf, rolesHeld } from "./roles.js";
import { CoordinatorError } from "../../model/errors.js";
import type { RunEvent } from "../../model/event.js";
import type { Decider } from "../../model/run.js";
import { type Decision, decide, roleObjection } from "./decide.js";
import { type Became, saysTheSame, findDecision } from "./decided.js";
import { findEntry, findRun } from "../inspect/find.js";
import { newestFirst } from "../../hands/store/list-runs.js";
import { foldRun } from "../inspect/fold-run.js";
import { type OpenEntry, openEntries } from "../inspect/open-entries.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import { decisionSent, NOT_TAKEN, sendDecision } from "./send-decision.js";
import type { CommandContext } from "../command-context.js";
import { refuseRoles } from "./refuse-roles.js";
import { foldAll, type Reader, withRuns } from "../inspect/runs-at.js";
import { currentPerson, currentUser } from "./current-user.js";

export interface DecideArguments {
  readonly id: string;
  readonly decision: Decision;
  readonly by: string | undefined;
  readonly as: string | undefined;
  readonly run: string | undefined;
  readonly waitMs: number;
  /** How they said so; by a command when absent. */
  readonly via?: Decider["via"] | undefined;
  /** Who said so; a person when absent. */
  readonly how?: "person" | "agent" | undefined;
}

/**
 * Answer, approve or reject something that waits.
 *
 * Contract: the decision is durable before it is reported. The outcome says whether the run took it, refused it or takes
 * it later. Throws NOT_FOUND for an id that nothing has, and USAGE for one that several have.
 */
export async function decideEntry(args: DecideArguments, context: CommandContext): Promise<Finished> {
  const person = currentPerson(args.by, context.project);
  const by = person.name;
  return withRuns(context.project, async (reader, at) => {
    const { configuration } = await context.project.settings();
    const notHeld = args.as === undefined ? null : refuseRoles(person, [args.as], configuration);
    if (notHeld !== null) return notHeld;
    const run = args.run === undefined ? null : await findRun(reader, args.run);
    const runs = (await foldAll(reader, "open")).flatMap((each) => ("run" in each ? [each.run] : []));
    const entries = runs.flatMap((each) => openEntries(each, runs.length === 1));
    const decider: Decider = {
      by: args.as === undefined ? by : `${by} as ${args.as}`,
      how: args.how ?? "person",
      via: args.via ?? "command",
    };
    const entry = await findOrWhatBecame(reader, entries, args.id, run);
    if (entry.kind === "decided" || entry.kind === "over") return tooLate(entry, args.decision, decider.by);
    const folded = runs.find(({ run_id }) => run_id === entry.run_id) ?? (await foldRun(reader, entry.run_id));
    const decided = decide(entry, args.decision, decider);
    if (!decided.ok) return fail(EXIT.invalid, "USAGE", decided.message, { fix: decided.fix });
    // Anyone who acts as a role acts as nothing else: a name must not carry what the role may not.
    const roles = args.as === undefined ? rolesHeld(person, configuration) : formsOf(args.as);
    const about = { run_id: entry.run_id, id: entry.id, decided: describeDecision(decided.event), by: decider.by };
    const objection = roleObjection(folded.state, decided.event, roles);
    if (objection !== null)
      return decisionSent({
        ...about,
        ...NOT_TAKEN,
        status: "refused",
        reason: objection,
        next: entry.commands.slice(0, 1),
      });
    return sendDecision(at, decided.event, { about, roles, after: folded.sequence, waitMs: args.waitMs }, context);
  });
}

/** Two people may answer the same thing, and one may do it twice: the message says what became of it. */
async function findOrWhatBecame(
  reader: Reader,
  entries: readonly OpenEntry[],
  id: string,
  run: string | null,
): Promise<OpenEntry | Became> {
  try {
    return findEntry(entries, id, run);
  } catch (error) {
    if (!(error instanceof CoordinatorError) || error.code !== "NOT_FOUND") throw error;
    const runs = (await newestFirst(reader)).filter(({ run_id }) => run === null || run_id === run);
    const became = await findDecision(reader, runs, id);
    if (became === null) throw error;
    return became;
  }
}

function tooLate(became: Became, decision: Decision, by: string): Finished {
  const { run_id, id } = became;
  const next = ["coordinator inbox"];
  const refuse = (decided: string, reason: string) =>
    decisionSent({ ...NOT_TAKEN, run_id, id, decided, by, status: "refused", reason, next });
  if (became.kind === "over") return refuse("nothing", `${run_id} is over, and does not wait for it any more`);
  const { event, sequence, by: first } = became;
  if (first === by && saysTheSame(event, decision))
    return decisionSent({
      ...NOT_TAKEN,
      run_id,
      id,
      decided: describeDecision(event),
      by,
      status: "taken",
      sequence,
      next,
    });
  return refuse(describeDecision(event), `it was decided by ${first} already: event ${sequence} of ${run_id}`);
}

export interface CancelArguments {
  readonly run: string;
  readonly reason: string;
  readonly by: string | undefined;
  readonly waitMs: number;
  /** How they said so, where it was not by the command. */
  readonly via?: Decider["via"] | undefined;
}

/**
 * Cancels a run: its attempts are stopped, and what they made is kept.
 *
 * Contract: as `decideEntry`. A run that is over already refuses it, and that is the outcome.
 */
export async function cancelRun(args: CancelArguments, context: CommandContext): Promise<Finished> {
  const by = currentUser(args.by, context.project);
  return withRuns(context.project, async (reader, at) => {
    const runId = await findRun(reader, args.run);
    const { sequence } = await foldRun(reader, runId);
    const decider: Decider = { by, how: "person", via: args.via ?? "command" };
    const event: RunEvent = { type: "run_cancelled", decider, reason: args.reason };
    const about = { run_id: runId, id: runId, decided: "cancelled", by };
    return sendDecision(at, event, { about, roles: [by], after: sequence, waitMs: args.waitMs }, context);
  });
}

function describeDecision(event: RunEvent): string {
  switch (event.type) {
    case "plan_approved":
    case "review_approved":
      return "approved";
    case "plan_rejected":
    case "review_rejected":
      return "rejected";
    case "escalation_answered":
      // Logs call it lift; people say waive.
      return `${event.order.action === "lift" ? "waive" : event.order.action.replace("_", " ")} ordered`;
    default:
      return "answered";
  }
}
