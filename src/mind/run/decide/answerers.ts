import { QuestionId } from "../../../model/primitives.js";
import type { InboxEntry } from "../inbox-entry.js";

/*
 * Who may answer what waits in the inbox. Approvals, reviews, scopes, escalations and changes of tasks are decided by a
 * person, and so is every question about safety or about a criterion that nothing shows: at a terminal or in the dashboard,
 * where no agent stands between them and the log.
 */

/**
 * `agent`: an agent that works for the person may answer it, as it could have asked in clearer words. `form`: a person, also
 * in a form that their agent's program shows. `person`: a person, at a terminal or in the dashboard.
 */
export type Answerer = "agent" | "form" | "person";

/** The ids that intake gives questions about unclear words. */
const UNCLEAR_WORDS: ReadonlySet<string> = new Set(["object", "choice", "behaviour", "place", "acceptance"]);

/** The ids that planners, routing and the plan's own rules give their questions. */
const ON_THE_WAY_TO_A_PLAN = /^Q-\d+$/;

/** Contract: pure. A question that is not known to be harmless is for a person. */
export function answererOf(entry: Pick<InboxEntry, "kind" | "id"> & { readonly task_id?: string | null }): Answerer {
  if (entry.kind !== "question") return "person";
  // An agent asks it about its own task.
  if (entry.task_id !== null && entry.task_id !== undefined) return "agent";
  if (UNCLEAR_WORDS.has(entry.id)) return "agent";
  return ON_THE_WAY_TO_A_PLAN.test(entry.id) || QuestionId.safeParse(entry.id).success ? "form" : "person";
}
