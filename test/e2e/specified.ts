import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Inputs in the form that the specification of the contract and the queue gives them. The texts here are ours and have the
 * same structure; where the specifications themselves are at hand, the same tests run on their own text too.
 */

/** The contract with the specification's names and nothing of this program's own. */
export const CONTRACT = `# governance/contracts/coordinator.yaml
name: coordinator
version: "1.0"
mode: autonomous
autonomy_level: L2

triggers:
  - adr_approved
  - task_complete
  - task_blocked
  - session_end
  - resume_session

allowed_actions:
  - read_adr
  - create_task
  - assign_task
  - update_project_hq
  - create_handoff
  - manage_queue
  - read_codebase

forbidden_actions:
  - write_code
  - make_decisions
  - modify_adr
  - bypass_ralph
  - delete_without_approval

requires_approval:
  - delete_task
  - change_priority
  - reassign_task
  - skip_task

limits:
  max_concurrent_tasks: 3
  max_queue_size: 50

behaviors:
  auto_update_project_hq: true
  auto_create_handoff: true
  auto_assign_tasks: true
  respect_dependencies: true
`;

/** A queue that another program left: one task done, one begun, one waiting for it. */
export const QUEUE = `${JSON.stringify(
  {
    project: "courses",
    last_updated: "2026-01-09T15:30:00Z",
    tasks: [
      {
        id: "TASK-031-001",
        adr: "ADR-031",
        title: "Create migration for course_results",
        type: "feature",
        agent: "FeatureBuilder",
        status: "completed",
        dependencies: [],
        completed_at: "2026-01-09T14:00:00Z",
      },
      {
        id: "TASK-031-002",
        adr: "ADR-031",
        title: "Implement results API endpoint",
        type: "feature",
        agent: "FeatureBuilder",
        status: "in_progress",
        dependencies: ["TASK-031-001"],
        started_at: "2026-01-09T14:05:00Z",
      },
      {
        id: "TASK-031-003",
        adr: "ADR-031",
        title: "Build results form component",
        type: "feature",
        agent: "FeatureBuilder",
        status: "pending",
        dependencies: ["TASK-031-002"],
      },
    ],
  },
  null,
  2,
)}\n`;

const FOLDERS = [
  process.env["COORDINATOR_SPECIFICATIONS"],
  fileURLToPath(new URL("../../../shared/seeds", import.meta.url)),
];

function specifications(): string[] {
  const folder = FOLDERS.find((each) => each !== undefined && existsSync(each));
  return folder === undefined ? [] : readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
}

/** The specification that has these words in it; null where none is at hand. */
export function specificationWith(...words: readonly string[]): string | null {
  return specifications().find((text) => words.every((word) => text.includes(word))) ?? null;
}

/** The fenced block of a specification that has these words in it; null where no specification is at hand. */
export function specifiedBlock(language: string, ...words: readonly string[]): string | null {
  for (const specification of specifications())
    for (const [, fence, text = ""] of specification.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm))
      if (fence === language && words.every((word) => text.includes(word))) return text;
  return null;
}
