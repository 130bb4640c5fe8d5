import type { IntakeStep, ProjectTypeFinding } from "../../model/request.js";
import type { CompiledPolicy } from "./compile-policy.js";

/** Step 5. A type that is known and not supported is rejected with the supported ones; an unknown one is not held against the request. */
export function checkSupport({ policy }: CompiledPolicy, { type }: ProjectTypeFinding): IntakeStep {
  if (type === null)
    return {
      step: "support",
      outcome: "passed",
      rule_id: "support_undetermined",
      reason: "No project type is evident; the default strategy holds",
      evidence: [],
    };
  if (policy.supported_types.includes(type))
    return {
      step: "support",
      outcome: "passed",
      rule_id: "support_listed",
      reason: `Project type ${type} is supported`,
      evidence: [],
    };
  return {
    step: "support",
    outcome: "failed",
    rule_id: "support_unlisted",
    reason: `Project type ${type} not supported. Supported types: ${policy.supported_types.join(", ")}`,
    evidence: [],
  };
}
