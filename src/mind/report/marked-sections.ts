/*
 * Sections of a file that belong to the Coordinator, each between two markers; everything else in it belongs to people.
 * The text is a string of bytes, one character for each: whatever people wrote, in whatever encoding, comes back as it
 * was.
 */

export interface Section {
  readonly name: string;
  /** Without a marker in it, lines ending in \n. */
  readonly text: string;
}

export interface Marked {
  readonly text: string;
  /** Sections whose markers are broken: they were left alone. */
  readonly broken: readonly { readonly name: string; readonly why: string }[];
}

export const beginMarker = (name: string) => `<!-- coordinator:begin ${name} -->`;
export const endMarker = (name: string) => `<!-- coordinator:end ${name} -->`;

const ANY = /<!-- coordinator:(begin|end) ([a-z-]+) -->/g;

interface Marker {
  readonly kind: string;
  readonly name: string;
  readonly at: number;
  readonly end: number;
}

/**
 * The text with its sections brought up to date. A text without any marker gets all of them at its end; in one that has
 * some, a section whose markers are gone was taken out by somebody, and stays out.
 *
 * Contract: pure. Outside of whole pairs of markers every byte stays; a pair that is not whole is not touched.
 */
export function withSections(text: string, sections: readonly Section[]): Marked {
  const markers = [...text.matchAll(ANY)].map(({ 0: whole, 1: kind = "", 2: name = "", index }): Marker => ({
    kind,
    name,
    at: index,
    end: index + whole.length,
  }));
  if (markers.length === 0) return { text: appendSections(text, sections), broken: [] };
  const broken: { name: string; why: string }[] = [];
  const edits: { from: number; to: number; text: string }[] = [];
  for (const section of sections) {
    const found = pairOf(markers, section.name);
    if (found === null) continue;
    if (typeof found === "string") broken.push({ name: section.name, why: found });
    else edits.push({ from: found.from, to: found.to, text: fillSection(text, found.from, section) });
  }
  edits.sort((a, b) => b.from - a.from);
  return {
    text: edits.reduce((all, { from, to, text: new_ }) => all.slice(0, from) + new_ + all.slice(to), text),
    broken,
  };
}

/** Finds the markers of a section, or why they are ambiguous; null when it has none. */
function pairOf(markers: readonly Marker[], name: string): { from: number; to: number } | string | null {
  const own = markers.filter((marker) => marker.name === name);
  if (own.length === 0) return null;
  const [begin, end] = own;
  if (own.length > 2) return "its markers stand there more than once";
  if (begin === undefined || end === undefined)
    return `its ${own[0]?.kind === "begin" ? "end" : "begin"} marker is gone`;
  if (begin.kind !== "begin" || end.kind !== "end") return "its markers are in the wrong order";
  if (markers.some(({ at, name: other }) => other !== name && at > begin.at && at < end.at))
    return "a marker of another section stands between its own";
  return { from: begin.end, to: end.at };
}

/** As the lines of the file end. */
function fillSection(text: string, at: number, section: Section): string {
  const newline = text.startsWith("\r\n", at) ? "\r\n" : "\n";
  return `${newline}${section.text.trimEnd().replaceAll("\n", newline)}${newline}`;
}

function appendSections(text: string, sections: readonly Section[]): string {
  const newline = /\r\n/.test(text) ? "\r\n" : "\n";
  const all = sections.map(({ name, text: body }) =>
    `${beginMarker(name)}\n${body.trimEnd()}\n${endMarker(name)}\n`.replaceAll("\n", newline),
  );
  const gap = text === "" ? "" : text.endsWith("\n") ? newline : newline.repeat(2);
  return `${text}${gap}${all.join(newline)}`;
}
