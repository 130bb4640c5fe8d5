import type { IntentSpec } from "../../model/intent-spec.js";
import type { SpecFinding, SpecGrounds } from "./finding.js";
import { plain } from "../../foundation/text/statement.js";

/** Everything that is said comes from somewhere, and that is really there. */
export function traceability(spec: IntentSpec, grounds: SpecGrounds): SpecFinding[] {
  const { requirements, constraints, assumptions } = spec;
  const found: SpecFinding[] = [];
  const request = plain(grounds.request);
  for (const [list, entries] of Object.entries({ requirements, constraints, assumptions }))
    entries.forEach(({ id, source }, i) => {
      const problem = sourceProblem(source, grounds, request);
      if (problem !== null)
        found.push({ path: `${list}[${i}].source`, ...problem, message: `${id}: ${problem.message}` });
    });
  spec.context_refs.forEach((ref, i) => {
    if (!grounds.documents.includes(ref))
      found.push({
        rule_id: "spec_context_ref_unknown",
        path: `context_refs[${i}]`,
        message: `${ref} was not given`,
        fix: listGiven("documents", grounds.documents),
      });
  });
  return found;
}

type Problem = Pick<SpecFinding, "rule_id" | "message" | "fix">;

/** Fewer letters than this occur in nearly every text. */
const SHORTEST_QUOTE = 3;

function sourceProblem(source: string, grounds: SpecGrounds, request: string): Problem | null {
  const at = source.indexOf(":");
  const [kind, name] = [source.slice(0, at), source.slice(at + 1).trim()];
  const missing = (what: string, names: readonly string[]): Problem => ({
    rule_id: `spec_source_${kind}_unknown`,
    message: `${what}: ${name === "" ? "nothing is named" : name}`,
    fix: listGiven(`${kind}s`, names),
  });
  switch (kind) {
    case "request": {
      const quote = plain(name).replace(/^["'](.*)["']$/, "$1");
      return quote.length >= SHORTEST_QUOTE && request.includes(quote)
        ? null
        : {
            rule_id: "spec_source_request_unknown",
            message: `the request does not say: ${name === "" ? "nothing is quoted" : name}`,
            fix: "Quote words of the request as they stand there, or name another source, or ask.",
          };
    }
    case "document":
      return isGiven(name, grounds.documents) ? null : missing("no such document was given", grounds.documents);
    case "answer":
      return grounds.answers.includes(name) ? null : missing("no such answer was given", grounds.answers);
    default: {
      const facts = Object.keys(grounds.facts?.facts ?? {});
      return facts.includes(name) ? null : missing("no such fact is known", facts);
    }
  }
}

/** A place inside of a document may be named after a `#`. */
function isGiven(name: string, documents: readonly string[]): boolean {
  const at = name.lastIndexOf("#");
  return documents.includes(name) || (at > 0 && documents.includes(name.slice(0, at)));
}

function listGiven(what: string, names: readonly string[]): string {
  if (names.length === 0) return `There are no ${what} to rest on: name another source, or ask.`;
  return `Name one of the ${what} that were given (${names.slice(0, 20).join(", ")}), or another source, or ask.`;
}
