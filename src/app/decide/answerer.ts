import { type Answerer, answererOf } from "../../mind/run/decide/answerers.js";
import type { OpenEntry } from "../inspect/open-entries.js";

export type { Answerer };

/** Who may answer an entry of the inbox, for fronts that agents call. */
export function answererOfEntry({ kind, id, task_id }: OpenEntry): Answerer {
  return answererOf({ kind, id, task_id });
}
