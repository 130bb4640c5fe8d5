import { placeIn } from "../../foundation/documents/path-segments.js";
import { diagnosticsOf } from "../../model/diagnostic.js";
import { type Brief, BriefDraft, SealedBriefDraft } from "../../model/intent-spec.js";
import { briefProblems, sealBrief } from "../../mind/plan/inputs/brief.js";
import { sha256 } from "../../hands/store/sha256.js";
import { type Input, readRaw } from "../project/read-input.js";

/** A brief as a person wrote it down, sealed. Every problem comes back with its place. */
export async function readBriefFile(file: string, cwd: string): Promise<Input<Brief>> {
  const raw = await readRaw(file, cwd);
  if (!raw.ok) return raw;
  const read = (isSealed(raw.value) ? SealedBriefDraft : BriefDraft).safeParse(raw.value);
  if (!read.success) return { ok: false, problems: placeIn(raw, diagnosticsOf(read.error, "DOCUMENT_INVALID")) };
  const brief = sealBrief(read.data, sha256);
  const problems = briefProblems(brief, sha256).map((problem) => ({ ...problem, code: "DOCUMENT_INVALID", fix: FIX }));
  return problems.length === 0 ? { ...raw, value: brief } : { ok: false, problems: placeIn(raw, problems) };
}

const FIX = "Name everything once, and leave the checksums out: they are made when the run begins.";

/** Its shape says which of the two it is, so that a mistake is reported at its place. */
function isSealed(value: unknown): boolean {
  const { spec } = (value ?? {}) as { spec?: unknown };
  return typeof spec === "object" && spec !== null && "spec" in spec;
}
