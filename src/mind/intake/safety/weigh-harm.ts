import type { Evidence } from "../../../model/request.js";
import type { CompiledPoints, CompiledSafety } from "../compile-policy.js";
import { haveCommon, hasLabel, type Labels } from "../reading/labels.js";
import { type Context, evidenceFor, overlap, type Spoken, type Use } from "../reading/spoken.js";

/** Harm that no rule names: an asked action, and signs of several kinds that together weigh enough. */
export function weighHarm(
  safety: CompiledSafety,
  one: Spoken,
  { spoken: context, labels }: Context,
): Evidence[] | null {
  const { points } = safety;
  if (points === null || mostPoints(points, labels) < points.refuse_at) return null;
  if (!one.acts) return null;
  let total = 0;
  const used: Use[] = [];
  for (const { name, points: worth } of points.groups) {
    const best = strongest(worth, name === "action" || name === "object" ? [one] : [one, ...context], used);
    if (best === null) continue;
    total += worth.get(best.hit.label) ?? 0;
    used.push(best);
  }
  if (used.length < points.min_groups || total < points.refuse_at) return null;
  const relieved = new Set<number>();
  for (const { hits } of context)
    for (const { label } of hits) {
      const relief = points.relief.get(label);
      if (relief === undefined || relieved.has(label)) continue;
      relieved.add(label);
      total -= relief;
    }
  return total < points.refuse_at ? null : evidenceFor(safety, used);
}

/** The most that could come out, before it is asked which words are free. */
function mostPoints({ groups }: CompiledPoints, labels: Labels): number {
  let total = 0;
  for (const { labels: own, points } of groups) {
    if (!haveCommon(own, labels)) continue;
    let most = 0;
    for (const [label, value] of points) if (hasLabel(labels, label) && value > most) most = value;
    total += most;
  }
  return total;
}

function strongest(worth: ReadonlyMap<number, number>, places: readonly Spoken[], used: readonly Use[]): Use | null {
  let best: Use | null = null;
  let most = 0;
  for (const spoken of places)
    for (const hit of spoken.hits) {
      const value = worth.get(hit.label) ?? 0;
      if (value <= most || used.some((use) => use.spoken === spoken && overlap(use.hit, hit))) continue;
      best = { spoken, hit };
      most = value;
    }
  return best;
}
