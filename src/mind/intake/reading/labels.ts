/** A set of small numbers as bits, 32 to an element: sets are compared by a few operations, whatever they hold. */
export type Labels = Int32Array;

export function noLabels(count: number): Labels {
  return new Int32Array((count + 31) >> 5);
}

export function addLabel(labels: Labels, label: number): void {
  labels[label >> 5] = (labels[label >> 5] ?? 0) | (1 << (label & 31));
}

export function hasLabel(labels: Labels, label: number): boolean {
  return ((labels[label >> 5] ?? 0) & (1 << (label & 31))) !== 0;
}

export function haveCommon(a: Labels, b: Labels): boolean {
  for (let at = 0; at < a.length; at++) if (((a[at] ?? 0) & (b[at] ?? 0)) !== 0) return true;
  return false;
}
