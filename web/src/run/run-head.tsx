import { useCallback, useState } from "react";
import { post, runPath } from "../api.ts";
import { formatTime, plural } from "../format.ts";
import { Link } from "../parts/link.tsx";
import { Refused, Trouble } from "../parts/states.tsx";
import { isOver, Status } from "../parts/status.tsx";
import { runAddress } from "../router.ts";
import { useMayDecide } from "../session.ts";
import type { Entry, RunStatus } from "../types.ts";
import { useAction } from "../use-action.ts";
import { Budget } from "./budget.tsx";

/** How a run stands: its state, its budget, what is wrong with it, and what may be ordered. */
export function RunHead({
  project,
  now,
  entries,
}: {
  readonly project: string;
  readonly now: RunStatus;
  readonly entries: readonly Entry[];
}) {
  const { run_id, request, status, phase, reason, tasks, started_at, can_go_on, served, trouble, critical_path } = now;
  const over = isOver(status);
  return (
    <header className="run-head">
      <h1>{request === "" ? run_id : request}</h1>
      <p>
        <Status of={status} note={over ? null : phase} /> · {tasks.done} of {plural(tasks.total, "task")} done
        {tasks.running > 0 && ` · ▶ ${tasks.running} running`}
        {tasks.blocked > 0 && ` · ‖ ${tasks.blocked} blocked`}
        {tasks.failed > 0 && ` · ✕ ${tasks.failed} failed`} · <code>{run_id}</code>
        {started_at !== null && ` · since ${formatTime(started_at)}`}
      </p>
      {reason !== "" && <Reason project={project} reason={reason} />}
      {!over && critical_path.tasks.length > 0 && (
        <p className="quiet">
          ◆ Critical path: about {Math.max(1, Math.round(critical_path.minutes))} min left through{" "}
          {plural(critical_path.tasks.length, "task")}: {critical_path.tasks.slice(0, MOST_NAMED).join(" → ")}
          {critical_path.tasks.length > MOST_NAMED && " → …"}
        </p>
      )}
      {trouble !== null && <Trouble problem={trouble} head="The server could not work on it." />}
      <Budget project={project} now={now} entries={entries} />
      <RunOrders project={project} run={run_id} canResume={can_go_on && !served} isOver={over} />
    </header>
  );
}

const MOST_NAMED = 6;

/** Why a run stands as it does. A request that became a run leads to it. */
function Reason({ project, reason }: { readonly project: string; readonly reason: string }) {
  const [, run] = /^went on as (run_\S+)$/.exec(reason) ?? [];
  return (
    <p className="quiet">{run === undefined ? reason : <Link to={runAddress(project, run)}>It became {run}</Link>}</p>
  );
}

interface OrdersProps {
  readonly project: string;
  readonly run: string;
  readonly canResume: boolean;
  readonly isOver: boolean;
}

function RunOrders({ project, run, canResume, isOver: over }: OrdersProps) {
  const mayDecide = useMayDecide();
  const [reason, setReason] = useState("");
  const { start, pending, problem, done } = useAction(
    useCallback(
      async (order: "resume" | "cancel", body: object = {}) => {
        await post(runPath(project, run, `/${order}`), body);
        return order;
      },
      [project, run],
    ),
  );
  if (!mayDecide || (over && !canResume)) return null;
  const why = reason.trim();
  return (
    <>
      {canResume && (
        <p className="choices">
          <button type="button" className="primary" disabled={pending} onClick={() => start("resume")}>
            Resume
          </button>
        </p>
      )}
      {!over && (
        <details className="allow-more">
          <summary>Cancel the run</summary>
          <form
            className="choices"
            onSubmit={(event) => {
              event.preventDefault();
              start("cancel", why === "" ? {} : { reason: why });
            }}
          >
            <label>
              Reason <input value={reason} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
            </label>
            <button type="submit" disabled={pending}>
              End it for good <small>its agents are stopped; what they finished is kept</small>
            </button>
          </form>
        </details>
      )}
      {done !== null && <p role="status">{done === "resume" ? "It continues." : "It is being cancelled."}</p>}
      <Refused problem={problem} />
    </>
  );
}
