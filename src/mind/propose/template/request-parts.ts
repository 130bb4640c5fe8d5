import type { FactPack } from "../../../model/settings/packs.js";
import type { IntakeDecision } from "../../../model/request.js";
import { kindOfPoint, kindOfWork, type KindOfWork } from "./kind-of-work.js";
import { placesOf } from "./template-places.js";
import { pointsOf } from "./points.js";

export interface RequestParts {
  /** The kind of the whole. */
  readonly kind: KindOfWork;
  /** Points that can be done one by one; empty when the request is one thing. */
  readonly points: readonly { readonly text: string; readonly kind: KindOfWork }[];
  /** The one before it comes first. */
  readonly ordered: boolean;
}

/** Splits a request into its parts. Contract: pure and total. */
export function partsOfRequest(
  text: string,
  intake: Pick<IntakeDecision, "approach">,
  facts: FactPack | null,
): RequestParts {
  const said = kindOfWork(intake, text);
  const { texts, ordered } = pointsOf(text, said, (part) => placesOf(part, facts));
  // The parts of a new project are built on its ground, as new behaviour is.
  const around = said === "new_project" ? "feature" : said;
  const points = texts.map((point) => ({ text: point, kind: kindOfPoint(point, around) }));
  if (said === "new_project") return { kind: said, points, ordered };
  // Where one point of a list changes code, the whole is not a document.
  return { kind: points.find(({ kind }) => kind !== "docs")?.kind ?? said, points, ordered };
}
