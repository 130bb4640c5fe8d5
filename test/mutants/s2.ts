import { type Mutant, mutantsOf } from "./mutant.js";

/** S2: conflicts between tasks, and the review between levels. */
// One mutant, one line: the table is read by id.
// oxfmt-ignore
export const s2: readonly Mutant[] = [
  ...mutantsOf("src/hands/integration/detect-conflicts.ts", [
    ["S2-001 S2-016", "a conflict takes three tasks", `.filter(([, met]) => met.length > 1)`, `.filter(([, met]) => met.length > 2)`],
    ["S2-016", "only the first two tasks of a conflict are named", `ac_indices: met.map(({ index }) => index).sort((a, b) => a - b),`, `ac_indices: met.map(({ index }) => index).sort((a, b) => a - b).slice(0, 2),`],
    ["S2-001", "a file that one task changed is a conflict", `.filter(([, met]) => met.length > 1)`, `.filter(([, met]) => met.length > 0)`],
  ]),
  ...mutantsOf("src/hands/integration/level-context.ts", [
    ["S2-027", "warnings do not reach the prompt", `if (warnings.length > 0)`, `if (warnings.length < 0)`],
    ["S2-026", "the files of a task are left out of the prompt", `const files = files_modified.slice(0, limits.files_per_task).join(", ");`, `const files = "";`],
    ["S2-026", "the review of a level is left out of the prompt", `coordinator_review === null ? [] : [describeReview(coordinator_review, limits)],`, `coordinator_review === null ? [describeReview(coordinator_review as never, limits)] : [],`],
    ["S2-007 S2-024", "the review is not attached to the level's context", `return { ...context, coordinator_review };`, `return { ...context };`],
  ]),
  ...mutantsOf("src/hands/integration/resolve-prompt.ts", [
    ["S2-032", "the prompt does not say which files are in conflict", `conflicts.map((conflict) => describeConflict(conflict, task)).join("\\n")`, `""`],
    ["S2-032", "the prompt does not give the role", `const ROLE = "You are a Level Coordinator reviewing parallel AC execution results.";`, `const ROLE = "";`],
    ["S2-034", "the prompt asks for no warnings", `- Warnings or recommendations for the next level's ACs\`,`, `\`,`],
  ]),
  ...mutantsOf("src/model/plan/level.ts", [
    ["S2-023", "a conflict has no place for its resolution by default", `resolution_description: z.string().default(""),`, `resolution_description: z.string().default("none"),`],
  ]),
  ...mutantsOf("src/mind/run/dispatch.ts", [
    ["S2-012 S2-013", "a level does not wait for the one before it", `if (state.levels !== null && levelOf(state, index) > state.levels.current) return null;`, ``],
  ]),
  ...mutantsOf("src/hands/integration/review-level.ts", [
    ["S2-014", "concerns start no session", `if (found !== null && found.length > 0) return true;`, `if (found !== null && found.length < 0) return true;`],
    ["S2-020 S2-037", "the mode that always looks never does", `if (policy.coordinator_mode !== "conflicts") return policy.coordinator_mode === "always";`, `if (policy.coordinator_mode !== "conflicts") return false;`],
  ]),
  ...mutantsOf("src/hands/integration/coordination-session.ts", [
    ["S2-006", "who resolves may not run commands", `const TOOLS: Scope["tools"] = ["read", "edit", "delete", "search", "execute", "think"];`, `const TOOLS: Scope["tools"] = ["read", "edit", "delete", "search", "think"];`],
  ]),
  ...mutantsOf("src/hands/integration/level-context.ts", [
    ["S2-027 S4-055", "those who do not see a file are told what a review says of it", `    if (isWhole || review === null) return { ...level, completed_acs };`, `    return { ...level, completed_acs };`],
  ]),
];
