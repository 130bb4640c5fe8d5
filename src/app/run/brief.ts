import { CoordinatorError } from "../../model/errors.js";
import type { RunEvent } from "../../model/event.js";
import { Brief, type BriefRef } from "../../model/intent-spec.js";
import type { GuardrailEntry } from "../../model/plan/registry.js";
import { briefProblems } from "../../mind/plan/inputs/brief.js";
import { BRIEF_RECORD } from "../../mind/run/record-names.js";
import { isOver } from "../../mind/run/state.js";
import { step } from "../../mind/run/transition.js";
import { sha256 } from "../../hands/store/sha256.js";
import type { ExecuteOptions } from "./execute-options.js";
import { recordRef, type RunRecords } from "../../hands/attempts/run-records.js";

export { BRIEF_RECORD };

/* The brief of a run: everything beside its plan that it was begun with, as it stands in its records. */

/** Contract: null when the run has none. Throws BRIEF_CHANGED for one that is not what its checksums say. */
export async function readBrief(records: RunRecords): Promise<Brief | null> {
  const kept = await records.read(BRIEF_RECORD);
  if (kept === null) return null;
  const read = Brief.safeParse(kept);
  if (!read.success) throw briefChangedError(`it cannot be read: ${read.error.issues[0]?.message ?? ""}`);
  const [problem] = briefProblems(read.data, sha256);
  if (problem !== undefined) throw briefChangedError(`${problem.path} ${problem.message}`);
  return read.data;
}

/**
 * The brief of a run that is about to be carried out. Documents that the log does not know yet are recorded now, before anything is
 * done: from then on the record must be what the log says.
 */
export async function readBriefRecord(
  { runId, store, state }: Pick<ExecuteOptions, "runId" | "store" | "state">,
  records: RunRecords,
): Promise<Brief | null> {
  const brief = await readBrief(records);
  const ref = recordRef(await records.read(BRIEF_RECORD));
  if (state.brief !== null) {
    if (state.brief.ref !== ref) throw briefChangedError("the log says that it was another one");
    return brief;
  }
  if (brief === null || isOver(state)) return brief;
  const event: RunEvent = { type: "brief_kept", brief: briefRef(brief, ref) };
  const { sequence } = await store.open(runId);
  const at = new Date().toISOString();
  const events = step(state, event, state.clock_ms).events.map((each) => ({
    event: each,
    at,
    clock_ms: state.clock_ms,
  }));
  const { status } = await store.append(runId, sequence, events);
  if (status !== "appended") throw new CoordinatorError("STORE_LOCKED", `Somebody else writes to run ${runId}`);
  return brief;
}

function briefRef({ spec, documents }: Brief, ref: string): BriefRef {
  return {
    ref,
    spec:
      spec === null
        ? null
        : {
            id: spec.spec.id,
            checksum: spec.checksum,
            requirements: spec.spec.requirements.map(({ id, priority }) => ({ id, priority })),
          },
    documents: documents.map(({ ref: name, checksum }) => ({ ref: name, checksum })),
  };
}

function briefChangedError(why: string): CoordinatorError {
  return new CoordinatorError("BRIEF_CHANGED", `The brief of the run is not what it was: ${why}`, {
    fix: "Put the record back from a backup, or start a new run.",
  });
}

/** The guardrails of this run: a rule of a document holds where that document was given. */
export function guardrailsFor(brief: Brief | null, guardrails: readonly GuardrailEntry[]): GuardrailEntry[] {
  const given = new Set((brief?.documents ?? []).map(({ ref }) => ref));
  return guardrails.filter(({ document }) => document === undefined || given.has(document));
}

/** An agent reads what it is given in one go: more than this of a document, or of all, would crowd out its task. */
const MOST_OF_DOCUMENT = 60_000;
const MOST_OF_ALL = 240_000;

/** The injected documents as an agent gets them, in their order; what does not fit is said to be left out. */
export function contextOf(brief: Brief | null): Pick<Brief["documents"][number], "ref" | "text" | "image">[] {
  let left = MOST_OF_ALL;
  return (brief?.documents ?? []).map(({ ref, text, image }) => {
    const shown = cutAtLine(text, Math.min(MOST_OF_DOCUMENT, left));
    left -= shown.length;
    const rest = text.length - shown.length;
    const given = rest === 0 ? text : `${shown}\n[${rest} more characters of this document are left out here]`;
    return { ref, text: given, ...(image === undefined ? {} : { image }) };
  });
}

/** At the end of a line, and never within a character. */
function cutAtLine(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, text.lastIndexOf("\n", most) + 1);
}
