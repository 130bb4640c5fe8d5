import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { type ExecutionIntent, IntentV091, IntentV100 } from "../../model/plan/intent.js";
import { plainTasks } from "../../model/plain-task.js";
import type { IntentTask } from "../../model/task.js";
import { type TaskPlaces, taskPlaces } from "./inputs/task-places.js";

/** An intent whose document is sound: its parts under the names the later steps use. */
export interface ParsedIntent {
  readonly intent: ExecutionIntent;
  readonly schemaVersion: "0.9.1" | "1.0.0";
  readonly workflows: ExecutionIntent["selected_workflows"];
  readonly agents: ExecutionIntent["selected_agents"];
  readonly commands: ExecutionIntent["planned_commands"];
  readonly tasks: readonly IntentTask[];
  readonly places: TaskPlaces;
  readonly constraints: ExecutionIntent["constraints"] & { readonly budgets: ExecutionIntent["budgets"] };
}

export type ParseResult =
  | { readonly ok: true; readonly parsed: ParsedIntent }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/**
 * Read an ExecutionIntent, v0.9.1 or v1.0.0.
 *
 * Contract: total. Every problem of the document is listed with its path; nothing is corrected or filled in.
 */
export function parseIntent(document: unknown): ParseResult {
  const declared =
    typeof document === "object" && document !== null
      ? (document as { schema_version?: unknown }).schema_version
      : undefined;
  if (declared !== undefined && declared !== "1.0.0") {
    const message = `intent version ${JSON.stringify(declared)} is not known: leave schema_version out for 0.9.1, or write "1.0.0"`;
    return { ok: false, problems: [{ code: "INTENT_VERSION", path: "schema_version", message }] };
  }
  const schemaVersion = declared === undefined ? "0.9.1" : "1.0.0";
  const tasks = schemaVersion === "1.0.0" && isPlain(document) ? plainTasks(document["tasks"]) : null;
  const result =
    schemaVersion === "0.9.1"
      ? IntentV091.safeParse(document)
      : IntentV100.safeParse(tasks === null ? document : { ...(document as object), tasks: [] });
  if (!result.success) {
    const problems = diagnosticsOf(result.error, "INTENT_SCHEMA").map((problem) =>
      schemaVersion === "0.9.1" && (problem.path === "tasks" || problem.path === "registry_versions")
        ? { ...problem, fix: 'add "schema_version": "1.0.0"; a 0.9.1 intent has no such field' }
        : problem,
    );
    return { ok: false, problems };
  }
  const intent: ExecutionIntent = tasks === null ? result.data : { ...(result.data as IntentV100), tasks };
  const all = (intent as IntentV100).tasks ?? [];
  return {
    ok: true,
    parsed: {
      intent,
      schemaVersion,
      workflows: intent.selected_workflows,
      agents: intent.selected_agents,
      commands: intent.planned_commands,
      tasks: all,
      places: taskPlaces(all),
      constraints: { ...intent.constraints, budgets: intent.budgets },
    },
  };
}

/** An object as JSON makes it: what is asked of it is its own. */
function isPlain(document: unknown): document is Readonly<Record<string, unknown>> {
  return typeof document === "object" && document !== null && Object.getPrototypeOf(document) === Object.prototype;
}
