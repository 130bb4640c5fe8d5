import type { AttachedImage } from "../../../model/attached-image.js";
import type { Brief, BriefDraft, IntentSpec } from "../../../model/intent-spec.js";
import { canonicalJson } from "../../../foundation/canonical-json/canonical.js";

/* The brief: the input of a run beside its plan, and the proof that it has not changed. */

type Sha256 = (text: string) => string;

/** The checksum of an Intent Spec: over its canonical form. */
function specChecksum(spec: IntentSpec, sha256: Sha256): string {
  return sha256(canonicalJson(spec));
}

/** A brief with all its checksums. Checksums that are there are left as they are: `briefProblems` says which are wrong. */
export function sealBrief({ request, spec, documents, withheld }: BriefDraft, sha256: Sha256): Brief {
  return {
    request,
    spec: spec === null || "checksum" in spec ? spec : { spec, checksum: specChecksum(spec, sha256) },
    documents: documents.map(({ ref, text, checksum, image }) => ({
      ref,
      checksum: checksum ?? sha256(text),
      text,
      ...(image === undefined ? {} : { image }),
    })),
    withheld,
  };
}

export interface BriefProblem {
  /** Where in the brief. */
  readonly path: string;
  readonly message: string;
}

/** Everything in a brief that is not what its checksum says, or that contradicts itself; none when it is whole. */
export function briefProblems({ spec, documents }: Brief, sha256: Sha256): BriefProblem[] {
  const found: BriefProblem[] = [];
  if (spec !== null && specChecksum(spec.spec, sha256) !== spec.checksum)
    found.push({ path: "spec.checksum", message: `is not the checksum of ${spec.spec.id}` });
  for (const id of findRepeated(spec?.spec.requirements.map(({ id }) => id) ?? []))
    found.push({ path: "spec.requirements", message: `have ${id} twice` });
  for (const [i, document] of documents.entries())
    if (
      sha256(document.text) !== document.checksum ||
      (document.image !== undefined && !isImageOf(document.text, document.image, sha256))
    )
      found.push({ path: `documents[${i}].checksum`, message: `is not the checksum of ${document.ref}` });
  for (const ref of findRepeated(documents.map(({ ref }) => ref)))
    found.push({ path: "documents", message: `have ${ref} twice` });
  return found;
}

/** The text of an image names its checksum, and its own checksum is in the log: so neither can be another one. */
function isImageOf(text: string, { data, checksum }: AttachedImage, sha256: Sha256): boolean {
  return sha256(data) === checksum && text.includes(checksum);
}

function findRepeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}
