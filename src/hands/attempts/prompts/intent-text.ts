import type { IntentSpec, Requirement, Verification } from "../../../model/intent-spec.js";

/** The requirements of a spec as a builder reads them. Equal specs give equal texts. */
export function intentText({ objective, requirements, constraints, out_of_scope, assumptions }: IntentSpec): string {
  return [
    objective,
    list("Requirements", requirements.map(requirementText)),
    list(
      "Constraints",
      constraints.map(({ id, description }) => `${id}: ${description}`),
    ),
    list("Not asked for", out_of_scope),
    list(
      "Taken for granted",
      assumptions.map(({ id, description, source }) => `${id}: ${description} (${source})`),
    ),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function requirementText({ id, description, priority, verification }: Requirement): string {
  const weight = priority === "must_have" ? "" : ` (${priority.replaceAll("_", " ")})`;
  return `${id}${weight}: ${description} It holds when ${describeVerification(verification)}.`;
}

/** How it is found out whether a requirement holds, in words. */
function describeVerification(verification: Verification): string {
  switch (verification.kind) {
    case "command":
      return `\`${verification.run}\` ends with exit code ${verification.exit_code}`;
    case "check":
      return `the check ${verification.name} passes`;
    case "test":
      return `a test named "${verification.name}" runs and passes${verification.check === undefined ? "" : ` in ${verification.check}`}`;
    case "file_exists":
      return `${verification.exists ? "there is a file" : "there is no file"} \`${verification.path}\``;
    case "file_contains": {
      const which = verification.contains ? "a file" : "no file";
      return `${which} \`${verification.path}\` contains \`${verification.text}\``;
    }
  }
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`${title}:`, ...lines.map((line) => `- ${line}`)].join("\n");
}
