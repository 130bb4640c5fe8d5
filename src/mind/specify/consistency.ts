import type { IntentSpec, Verification } from "../../model/intent-spec.js";
import type { SpecFinding } from "./finding.js";
import { sameWords, type Statement, statementOf, within } from "../../foundation/text/statement.js";

/** Finds requirements that are stated twice, and those that contradict each other. Decided by words alone. */
export function checkConsistency(spec: IntentSpec): SpecFinding[] {
  return [...ids(spec), ...findRepeated(spec), ...findContradicted(spec), ...findOpposed(spec)];
}

function ids({ requirements, constraints, assumptions }: IntentSpec): SpecFinding[] {
  const seen = new Map<string, string>();
  const found: SpecFinding[] = [];
  for (const [list, entries] of Object.entries({ requirements, constraints, assumptions }))
    entries.forEach(({ id }, i) => {
      const path = `${list}[${i}].id`;
      const first = seen.get(id);
      if (first === undefined) seen.set(id, path);
      else
        found.push({
          rule_id: "spec_id_twice",
          path,
          message: `${id} is the id of ${first} too`,
          fix: "Give every requirement, constraint and assumption an id of its own.",
        });
    });
  return found;
}

function findRepeated({ requirements }: IntentSpec): SpecFinding[] {
  const said = requirements.map(({ description }) => statementOf(description));
  return requirements.flatMap(({ id }, i) => {
    const first = said.findIndex((other, k) => k < i && isSame(other, said[i] as Statement));
    return first === -1
      ? []
      : [
          {
            rule_id: "spec_requirement_twice",
            path: `requirements[${i}].description`,
            message: `${id} says the same as ${requirements[first]?.id}`,
            fix: "Keep one of the two.",
          },
        ];
  });
}

const isSame = (a: Statement, b: Statement) => a.words.size > 0 && a.negated === b.negated && sameWords(a, b);

/** A requirement that wants what is out of scope, or what a constraint forbids, or forbids what one demands. */
function findContradicted({ requirements, constraints, out_of_scope }: IntentSpec): SpecFinding[] {
  const left = out_of_scope.map((text) => statementOf(text));
  const bound = constraints.map(({ description }) => statementOf(description));
  return requirements.flatMap(({ id, description }, i) => {
    const wanted = statementOf(description);
    const path = `requirements[${i}].description`;
    const found: SpecFinding[] = [];
    left.forEach((not, k) => {
      if (!wanted.negated && within(not, wanted))
        found.push({
          rule_id: "spec_requirement_out_of_scope",
          path,
          message: `${id} asks for what out_of_scope[${k}] leaves out: ${out_of_scope[k]}`,
          fix: "Take the requirement away, or the entry of out_of_scope, or ask which of the two is meant.",
        });
    });
    bound.forEach((constraint, k) => {
      const denied = constraint.negated && !wanted.negated && within(constraint, wanted);
      const forbidden = !constraint.negated && wanted.negated && within(wanted, constraint);
      if (denied || forbidden)
        found.push({
          rule_id: "spec_requirement_contradicts_constraint",
          path,
          message: `${id} and ${constraints[k]?.id} cannot both hold: ${constraints[k]?.description}`,
          fix: "Change one of the two, or ask which of them is meant.",
        });
    });
    return found;
  });
}

/** Two verifications that look at the same thing and want the opposite. */
function findOpposed({ requirements }: IntentSpec): SpecFinding[] {
  const wants = new Map<string, { readonly id: string; readonly is: boolean }>();
  return requirements.flatMap(({ id, verification }, i) => {
    const look = subjectOf(verification);
    if (look === null) return [];
    const before = wants.get(look.at);
    if (before === undefined) wants.set(look.at, { id, is: look.is });
    if (before === undefined || before.is === look.is) return [];
    return [
      {
        rule_id: "spec_verifications_opposed",
        path: `requirements[${i}].verification`,
        message: `${id} and ${before.id} want the opposite of the same file`,
        fix: "Only one of the two can ever hold: change the other one.",
      },
    ];
  });
}

function subjectOf(verification: Verification): { readonly at: string; readonly is: boolean } | null {
  switch (verification.kind) {
    case "file_exists":
      return { at: JSON.stringify([verification.path]), is: verification.exists };
    case "file_contains":
      return { at: JSON.stringify([verification.path, verification.text]), is: verification.contains };
    case "command":
      return { at: JSON.stringify(["run", verification.run.trim()]), is: verification.exit_code === 0 };
    case "check":
    case "test":
      return null;
  }
}
