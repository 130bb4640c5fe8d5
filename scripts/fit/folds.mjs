// Folds by owner: what one author or project wrote is either learnt from or tested on, never both.
import { createHash } from "node:crypto";

/** The fold of each row. A group goes whole into the fold that is smallest so far, large groups first. */
export function foldsOf(prepared, count, seed = "") {
  const sizes = new Map();
  for (const { row } of prepared) sizes.set(row.group, (sizes.get(row.group) ?? 0) + 1);
  const order = [...sizes.keys()]
    .map((group) => ({ group, size: sizes.get(group), key: sha256(`${seed}:${group}`) }))
    .sort((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1));
  const loads = Array.from({ length: count }, () => 0);
  const foldOf = new Map();
  for (const { group, size } of order) {
    const fold = loads.indexOf(Math.min(...loads));
    loads[fold] += size;
    foldOf.set(group, fold);
  }
  return prepared.map(({ row }) => foldOf.get(row.group));
}

export function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}
