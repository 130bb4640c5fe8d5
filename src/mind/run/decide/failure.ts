import type { AttemptOutcome } from "../../../model/run.js";

/** An attempt's end that a person may have to decide on. */
export type FailedOutcome = Exclude<AttemptOutcome, { kind: "completed" | "cancelled" | "scope_request" }>;

/** More than this of a message tells no two failures apart that the beginning does not. */
const SIGNATURE_INPUT = 2000;
const SIGNATURE_LENGTH = 200;

/**
 * The part of a failure that two failures share when only their numbers, paths and addresses differ. Null for an end that is no
 * failure, for a question, and for limits that pass by themselves: waiting is their answer, not a person.
 */
export function failureSignature(outcome: AttemptOutcome): string | null {
  switch (outcome.kind) {
    case "completed":
    case "cancelled":
    case "clarification":
    case "scope_request":
      return null;
    case "structural":
      if (outcome.error === "rate_limit" || outcome.error === "usage_limit") return null;
      return `structural/${outcome.error}: ${normalise(outcome.message)}`;
    case "semantic":
      return `semantic/${outcome.violation}: ${normalise(outcome.message)}`;
    case "resource":
      return `resource/${outcome.what}: ${normalise(outcome.message)}`;
    case "environment":
    case "quality":
    case "safety":
      return `${outcome.kind}: ${normalise(outcome.message)}`;
  }
}

function normalise(message: string): string {
  return (
    message
      .slice(0, SIGNATURE_INPUT)
      .toLowerCase()
      // Word by word, so that the time taken grows with the message and no faster.
      .replace(/[^\s"'`()[\]{}<>,;]+/g, withoutPlace)
      // Before hex and numbers: it holds both.
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<id>")
      .replace(/\b0x[0-9a-f]+\b/g, "<hex>")
      .replace(/\b(?=[a-f]*\d)[0-9a-f]{7,64}\b/g, "<hex>")
      .replace(/\d+(?:[.,:]\d+)*/g, "<n>")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, SIGNATURE_LENGTH)
  );
}

function withoutPlace(word: string): string {
  if (word.includes("://")) return "<url>";
  return word.includes("/") || word.includes("\\") ? "<path>" : word;
}

/** How an attempt failed, in words. */
export function describeFailure(outcome: FailedOutcome): string {
  switch (outcome.kind) {
    case "structural":
      return `${outcome.error}: ${outcome.message}`;
    case "semantic":
      return `${outcome.violation} violation: ${outcome.message}`;
    case "resource":
      return `out of ${outcome.what}: ${outcome.message}`;
    case "clarification":
      return `asks: ${outcome.question}`;
    case "environment":
    case "quality":
    case "safety":
      return `${outcome.kind}: ${outcome.message}`;
  }
}
