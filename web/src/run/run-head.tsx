import { useCallback } from "react";
import { post, runPath } from "../api.ts";
import { formatCost, formatCount, formatTime, plural } from "../format.ts";
import { Refused, Trouble } from "../parts/states.tsx";
import { isOver, Status } from "../parts/status.tsx";
import { useMayDecide } from "../session.ts";
import type { Entry, RunStatus } from "../types.ts";
import { useAction } from "../use-action.ts";

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
      {reason !== "" && <p className="quiet">{reason}</p>}
      {!over && critical_path.tasks.length > 0 && (
        <p className="quiet">
          ◆ Critical path: about {Math.max(1, Math.round(critical_path.minutes))} min left through{" "}
          {plural(critical_path.tasks.length, "task")}: {critical_path.tasks.slice(0, MOST_NAMED).join(" → ")}
          {critical_path.tasks.length > MOST_NAMED && " → …"}
        </p>
      )}
      {trouble !== null && <Trouble problem={trouble} head="The server could not work on it." />}
      <Budget now={now} entries={entries} />
      <RunOrders project={project} run={run_id} canResume={can_go_on && !served} isOver={over} />
    </header>
  );
}

const MOST_NAMED = 6;
const NEARLY = 0.8;

/** What is used, reserved and left. At the limit the run asks for more, and the gauge leads to where it is granted. */
function Budget({ now: { spend, status }, entries }: { readonly now: RunStatus; readonly entries: readonly Entry[] }) {
  const { used, reserved, budget } = spend;
  if (budget === null || budget.cost_usd <= 0) return null;
  const share = Math.max(used.cost_usd / budget.cost_usd, budget.tokens > 0 ? used.tokens / budget.tokens : 0);
  const asking = entries.find(({ commands }) => commands.some((command) => command.includes("raise_budget")));
  return (
    <div className="budget" role="group" aria-label="Budget">
      <meter min={0} max={1} high={NEARLY} value={Math.min(1, share)} aria-label="Share of the budget that is used" />
      <span>
        {Math.round(share * 100)} %: {formatCost(used.cost_usd)} of {formatCost(budget.cost_usd)}
        {reserved.cost_usd > 0 && `, ${formatCost(reserved.cost_usd)} reserved`} · {formatCount(used.tokens)} of{" "}
        {formatCount(budget.tokens)} tokens
      </span>
      {asking !== undefined ? (
        <a href={`#entry-${asking.id}`} className="button">
          It asks for more: decide
        </a>
      ) : (
        share >= NEARLY && !isOver(status) && <span className="needs">! At the limit it stops and asks for more.</span>
      )}
    </div>
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
  const { start, pending, problem, done } = useAction(
    useCallback(
      async (order: "resume" | "cancel") => {
        await post(runPath(project, run, `/${order}`));
        return order;
      },
      [project, run],
    ),
  );
  if (!mayDecide || (over && !canResume)) return null;
  return (
    <>
      <p className="choices">
        {canResume && (
          <button type="button" className="primary" disabled={pending} onClick={() => start("resume")}>
            Resume
          </button>
        )}
        {!over && (
          <button type="button" disabled={pending} onClick={() => start("cancel")}>
            Cancel the run
          </button>
        )}
        {done !== null && <span role="status">{done === "resume" ? "It goes on." : "It is being cancelled."}</span>}
      </p>
      <Refused problem={problem} />
    </>
  );
}
