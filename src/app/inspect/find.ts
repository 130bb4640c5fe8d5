import { byCodeUnit } from "../../model/by-code-unit.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { isRequestRecord, newestFirst } from "../../hands/store/list-runs.js";
import type { OpenEntry } from "./open-entries.js";

/**
 * The run somebody means: its id, the beginning of it with or without `run_`, or `last`: the newest that has work.
 *
 * Contract: throws NOT_FOUND with what may have been meant, and USAGE for a beginning that several share.
 */
export async function findRun(reader: EventReader, wanted: string): Promise<string> {
  const ids = (await newestFirst(reader)).map(({ run_id }) => run_id);
  // Anyone who says "last" means work, and not a request that never became any.
  const newest = ids.find((id) => !isRequestRecord(id)) ?? ids[0];
  if (wanted === "last" && newest !== undefined) return newest;
  const found = findMatching(wanted, ids);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  if (found.length > 1) throw severalMatchError(wanted, found);
  if (ids.length === 0)
    throw new CoordinatorError("NOT_FOUND", "No run was started here yet", {
      fix: 'Start one: coordinator run "what you want". --cwd says where to look.',
    });
  throw new CoordinatorError("NOT_FOUND", `There is no run ${wanted}`, {
    fix: didYouMean(wanted, ids) ?? "`coordinator status` lists the runs.",
  });
}

/**
 * The open entry somebody means, by its id or the beginning of it. `run` picks one where several runs have the same.
 *
 * Contract: throws NOT_FOUND with what may have been meant, and USAGE where the id does not say which.
 */
export function findEntry(entries: readonly OpenEntry[], wanted: string, run: string | null): OpenEntry {
  const candidates = entries.filter(({ run_id }) => run === null || run_id === run);
  const ids = [...new Set(candidates.map(({ id }) => id))];
  const found = findMatching(wanted, ids);
  if (found.length > 1) throw severalMatchError(wanted, found);
  const [id] = found;
  if (id === undefined)
    throw new CoordinatorError("NOT_FOUND", `Nothing with the id ${wanted} waits on you`, {
      fix:
        didYouMean(wanted, ids) ??
        "`coordinator inbox` lists what does; what waits in another project is decided there.",
    });
  const open = candidates.filter((entry) => entry.id === id);
  const [only] = open;
  if (open.length === 1 && only !== undefined) return only;
  throw new CoordinatorError("USAGE", `${id} is open in ${open.length} runs: ${open.map((e) => e.run_id).join(", ")}`, {
    fix: `Say which one: --run ${only?.run_id ?? "RUN"}`,
  });
}

/** Prefixes of an id that may be left out. */
const PREFIXES = ["run_", "req_", "esc_", "chg_", "q_", "plan:", "node_review_", "node_"];

/** The ids that somebody may mean: the very one, or those that begin so. Contract: pure. */
export function findMatching(wanted: string, ids: readonly string[]): string[] {
  if (ids.includes(wanted)) return [wanted];
  if (wanted === "") return [];
  return ids.filter((id) => [id, ...stripId(id)].some((form) => form.startsWith(wanted)));
}

function stripId(id: string): string[] {
  return PREFIXES.filter((prefix) => id.startsWith(prefix)).map((prefix) => id.slice(prefix.length));
}

export function severalMatchError(wanted: string, found: readonly string[]): CoordinatorError {
  const shown = found.slice(0, 5).join(", ");
  const more = found.length > 5 ? ` and ${found.length - 5} more` : "";
  return new CoordinatorError("USAGE", `${wanted} is the beginning of ${found.length} ids: ${shown}${more}`, {
    fix: "Write more of it.",
  });
}

function didYouMean(wanted: string, ids: readonly string[]): string | null {
  const near = ids
    .map((id) => ({ id, distance: id.includes(wanted) ? 0 : distance(wanted.slice(0, 100), id.slice(0, 100)) }))
    .filter(({ id, distance: d }) => d <= Math.max(2, Math.ceil(Math.min(wanted.length, id.length) / 3)))
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.id, b.id))
    .slice(0, 3);
  return near.length === 0 ? null : `Did you mean ${near.map(({ id }) => id).join(" or ")}?`;
}

/** How many letters have to be changed, added or taken away. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] as number) + 1,
          (next[j - 1] as number) + 1,
          (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] as number;
}
