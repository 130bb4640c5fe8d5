import { CoordinatorError } from "../../../model/errors.js";
import type { EventOf, RunEvent } from "../../../model/event.js";
import type { Brief } from "../../../model/intent-spec.js";
import { Brief as BriefSchema } from "../../../model/intent-spec.js";
import type { RouteContext } from "../../../model/routing.js";
import { attemptKey } from "../../../mind/run/ledger.js";
import { laterContextRecord } from "../../../mind/run/record-names.js";
import type { Rerouted, RunState } from "../../../mind/run/state.js";
import { sha256 } from "../../store/sha256.js";
import { recordRef, type RunRecords } from "../run-records.js";

/* Routing that is evaluated again while a run goes on, because a child was not given enough. */

/** The decision of routing now about a request whose child was given these documents. The child has no say in it. */
export type Reroute = (
  request: string,
  given: readonly string[],
) => Promise<{
  readonly outcome: EventOf<"route_reevaluated">["outcome"];
  readonly reason: string;
  readonly context: RouteContext;
  /** Documents that are to be given as well. */
  readonly documents: readonly { readonly ref: string; readonly text: string }[];
}>;

export interface RerouteParts {
  readonly brief: Brief | null;
  readonly reroute: Reroute | undefined;
  readonly records: RunRecords;
  readonly state: () => RunState;
  /** Contract: in the log when it resolves with null. */
  readonly tell: (event: RunEvent) => Promise<string | null>;
}

/** Contract: the outcome is in the log, and what it gives is in the records, when it resolves; once for each attempt. */
export function rerouteAttempt({ brief, reroute, records, state, tell }: RerouteParts) {
  return async ({ task_id, attempt }: { readonly task_id: string; readonly attempt: number }): Promise<void> => {
    const before = state().rerouted;
    const isDone = before.some((one) => one.task_id === task_id && one.attempt === attempt);
    if (brief === null || reroute === undefined || isDone) return;
    const given = [...brief.documents, ...before.flatMap(({ documents }) => documents)].map(({ ref }) => ref);
    const { outcome, reason, context, documents } = await reroute(brief.request, given);
    const sealed = documents.map(({ ref, text }) => ({ ref, checksum: sha256(text), text }));
    const kept =
      sealed.length === 0 ? null : await records.write(laterContextRecord(attemptKey(task_id, attempt)), sealed);
    await tell({
      type: "route_reevaluated",
      task_id,
      attempt,
      outcome,
      reason,
      context,
      documents: sealed.map(({ ref, checksum }) => ({ ref, checksum })),
      ...(kept === null ? {} : { record: kept.ref }),
    });
  };
}

/** The brief with what routing gave later. Contract: throws BRIEF_CHANGED for a record that is not what the log says. */
export async function withLaterContext(
  brief: Brief | null,
  rerouted: readonly Rerouted[],
  records: RunRecords,
): Promise<Brief | null> {
  if (brief === null) return null;
  let { documents, withheld } = brief;
  for (const { task_id, attempt, record } of rerouted) {
    if (record === undefined) continue;
    const kept = await records.read(laterContextRecord(attemptKey(task_id, attempt)));
    const read = BriefSchema.shape.documents.safeParse(kept);
    if (!read.success || recordRef(kept) !== record)
      throw new CoordinatorError("BRIEF_CHANGED", "The documents that were given later are not what the log says", {
        fix: "Put the record back from a backup, or start a new run.",
      });
    documents = [...documents, ...read.data];
    const refs = new Set(read.data.map(({ ref }) => ref));
    withheld = withheld.filter((ref) => !refs.has(ref));
  }
  return { ...brief, documents, withheld };
}
