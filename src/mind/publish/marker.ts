/*
 * How a text of ours is known again on a host. By itself a marker means nothing, since anybody can copy one: it counts
 * only in what our own account wrote.
 */

export type MarkedText = "whole" | "plan" | (string & {});

export function markerOf(runId: string, part: MarkedText): string {
  return `<!-- coordinator:${runId}:${part} -->`;
}

/** Contract: true only when the text is by `ours` and has the marker on a line of its own, where nothing that is quoted stands. */
export function isOurs(
  { body, author }: { readonly body: string; readonly author: { readonly id: number } | null },
  marker: string,
  ours: number,
): boolean {
  return author !== null && author.id === ours && body.split(/\r?\n/).some((line) => line.trim() === marker);
}
