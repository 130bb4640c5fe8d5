import { post, runPath } from "./api.ts";
import type { BatchDecided, Entry } from "./types.ts";

export type SentDecision = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Contract: throws a `Problem` where the decision was not taken, as when another person was first. */
export async function decideEntry(entry: Entry, decision: SentDecision): Promise<void> {
  await post(runPath(entry.project, entry.run_id, "/decisions"), bodyOf(entry, decision));
}

interface Decided {
  readonly about: string;
  /** Why it was not decided; null where it was. */
  readonly problem: string | null;
}

/** Sends one decision about several entries. Each is taken or not for itself. */
export async function decideMany(entries: readonly Entry[], decision: SentDecision): Promise<Decided[]> {
  const decisions = entries.map((entry) => ({
    project: entry.project,
    run_id: entry.run_id,
    ...bodyOf(entry, decision),
  }));
  const { results } = await post<BatchDecided>("/inbox/decisions", { decisions });
  return results.map(({ problem }, index) => ({
    about: entries[index]?.about ?? "",
    problem: problem === null ? null : problem.detail,
  }));
}

function bodyOf({ id, reviewers: [as] }: Entry, decision: SentDecision) {
  return { entry_id: id, decision, ...(as === undefined ? {} : { as }) };
}
