import { useState } from "react";
import { runPath } from "../api.ts";
import { formatTime } from "../format.ts";
import { Empty, Shown } from "../parts/states.tsx";
import type { RunGraph, Timeline } from "../types.ts";
import { isOfRun, useResource } from "../use-resource.ts";

const PAGE = 500;

/** The kinds of events that people ask for, and the types behind each. */
const KINDS = {
  "Plan and approval": "plan_frozen,plan_approved,plan_rejected,intake_decided,route_decided,approval_given",
  "Questions, reviews, changes":
    "question_asked,question_answered,review_approved,review_rejected,review_finished,change_proposed,change_decided",
  Attempts: "attempt_started,attempt_finished,iteration_finished,fallback_taken",
  "Uses of tools": "tool_judged,scope_widened,scope_refused",
  Verification: "verification_finished,requirements_judged,gate_decided",
  "Merging and conflicts": "integration_finished,conflict_found,conflict_resolved,run_merged",
  "Trouble and orders":
    "escalation_raised,escalation_answered,budget_raised,dispatch_paused,breaker_changed,run_cancelled",
} as const;

/** Everything that happened, with who decided it and how; filtered, a page at a time, and as a file. */
export function AuditView({
  project,
  run,
  tasks,
}: {
  readonly project: string;
  readonly run: string;
  readonly tasks: RunGraph["tasks"];
}) {
  const [onlyDecisions, setOnlyDecisions] = useState(false);
  const [kind, setKind] = useState<keyof typeof KINDS | "">("");
  const [task, setTask] = useState("");
  const [after, setAfter] = useState(0);
  const query = new URLSearchParams({ after: String(after), limit: String(PAGE), decisions: String(onlyDecisions) });
  if (kind !== "") query.set("type", KINDS[kind]);
  if (task !== "") query.set("task", task);
  // The first page grows with the log; later ones stay as they are.
  const timeline = useResource<Timeline>(
    runPath(project, run, `/timeline?${query.toString()}`),
    (event) => after === 0 && isOfRun(run, event),
  );
  return (
    <>
      <div className="choices">
        <label>
          Kind{" "}
          <select
            value={kind}
            onChange={(event) => {
              setKind(event.target.value as keyof typeof KINDS | "");
              setAfter(0);
            }}
          >
            <option value="">everything</option>
            {Object.keys(KINDS).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Task{" "}
          <select
            value={task}
            onChange={(event) => {
              setTask(event.target.value);
              setAfter(0);
            }}
          >
            <option value="">all</option>
            {tasks.map(({ task_id }) => (
              <option key={task_id}>{task_id}</option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={onlyDecisions}
            onChange={(event) => {
              setOnlyDecisions(event.target.checked);
              setAfter(0);
            }}
          />{" "}
          Only decisions
        </label>
        <a href={`/api/v1${runPath(project, run, "/tape")}`} download>
          Download the log with its checkpoints
        </a>
      </div>
      <Shown of={timeline}>
        {({ lines, next }) => (
          <>
            {lines.length === 0 && <Empty>Nothing of this kind has been recorded here.</Empty>}
            <ol className="audit">
              {lines.map(({ sequence, at, told, decider }) => (
                <li key={sequence} value={sequence}>
                  <time dateTime={at}>{formatTime(at)}</time> {told}
                  {decider !== null && <span className="quiet"> · {tellDecider(decider)}</span>}
                </li>
              ))}
            </ol>
            <p className="choices">
              {after > 0 && (
                <button type="button" onClick={() => setAfter(0)}>
                  From the beginning
                </button>
              )}
              {next !== null && (
                <button type="button" onClick={() => setAfter(next)}>
                  More
                </button>
              )}
            </p>
          </>
        )}
      </Shown>
    </>
  );
}

const VIA = {
  yes: "agreed to beforehand",
  terminal: "at a terminal",
  command: "by a command",
  dashboard: "in the dashboard",
  api: "through the API",
  mcp: "over MCP",
  comment: "by a comment on an issue",
} as const;

function tellDecider({ by, how, via }: NonNullable<Timeline["lines"][number]["decider"]>): string {
  const who =
    how === "rule" ? `by rule (${by})` : how === "timeout_default" ? "by default, nobody answered" : `by ${by}`;
  return via === undefined ? who : `${who}, ${VIA[via]}`;
}
