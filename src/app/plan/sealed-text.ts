import { isCollection, isMap, isScalar, parseDocument, stringify } from "yaml";
import type { ExecutionIntent } from "../../model/plan/intent.js";

/* Reading for the sake of ranges takes far longer than reading for the content. */
const MOST_TO_EDIT = 1024 * 1024;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * The text of an intent with the two places filled in that a seal writes, and every other character as it was:
 * people keep their order, their comments and their line breaks.
 */
export function sealedText(text: string, form: "json" | "yaml", document: unknown, intent: ExecutionIntent): string {
  const versions = "registry_versions" in intent ? intent.registry_versions : undefined;
  const edits = text.length > MOST_TO_EDIT ? null : findEdits(text, form, intent.audit.checksum, versions);
  if (edits !== null)
    return edits
      .sort((a, b) => b.from - a.from)
      .reduce((edited, { from, to, text: part }) => edited.slice(0, from) + part + edited.slice(to), text);
  const written = document as { audit: object };
  const sealed = {
    ...written,
    ...(versions === undefined ? {} : { registry_versions: versions }),
    audit: { ...written.audit, checksum: intent.audit.checksum },
  };
  return form === "json" ? `${JSON.stringify(sealed, null, 2)}\n` : stringify(sealed);
}

/** Null when the text has no place of its own for one of the two. JSON is YAML, so one reader finds them in both. */
function findEdits(text: string, form: "json" | "yaml", checksum: string, versions: unknown): Edit[] | null {
  const root = parseDocument(text).contents;
  if (!isMap(root)) return null;
  const old = root.getIn(["audit", "checksum"], true);
  if (!isScalar(old) || !old.range) return null;
  const edits: Edit[] = [{ from: old.range[0], to: old.range[1], text: JSON.stringify(checksum) }];
  if (versions === undefined) return edits;
  const before = root.get("registry_versions", true);
  const [, valueEnd, end] = root.range ?? [0, 0, 0];
  if (form === "json") {
    const value = JSON.stringify(versions, null, 2).replaceAll("\n", "\n  ");
    if (isCollection(before) && before.range) edits.push({ from: before.range[0], to: before.range[1], text: value });
    else {
      const last = text.lastIndexOf("}", valueEnd);
      const from = text.slice(0, last).trimEnd().length;
      edits.push({ from, to: from, text: `,\n  "registry_versions": ${value}` });
    }
    return edits;
  }
  if (root.flow === true) return null;
  const block = stringify(versions).trimEnd().replaceAll(/^/gm, "  ");
  if (isCollection(before) && before.range) {
    if (before.flow === true) return null;
    const from = text.lastIndexOf("\n", before.range[0] - 1) + 1;
    edits.push({ from, to: from + text.slice(from, before.range[1]).trimEnd().length, text: block });
  } else {
    const gap = text.slice(0, end).endsWith("\n") ? "" : "\n";
    edits.push({ from: end, to: end, text: `${gap}registry_versions:\n${block}\n` });
  }
  return edits;
}
