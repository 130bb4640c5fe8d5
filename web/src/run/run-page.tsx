import { lazy, Suspense, useState } from "react";
import { asProblem, post, type Problem, runPath } from "../api.ts";
import { formatCost, formatCount, formatTime, plural } from "../format.ts";
import type { LiveEvent } from "../live.ts";
import { EntryCard } from "../parts/entry-card.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { isOver, Status } from "../parts/status.tsx";
import { runAddress, useAddress } from "../router.ts";
import { useMayDecide } from "../session.ts";
import type { Inbox, RunGraph, RunStatus, Spend } from "../types.ts";
import { isOfRun, useResource } from "../use-resource.ts";
import { AuditView } from "./audit-view.tsx";
import { ChangesView } from "./changes-view.tsx";
import { PlanView } from "./plan-view.tsx";
import { ProofView } from "./proof-view.tsx";
import { TaskList } from "./task-list.tsx";
import { TaskPanel } from "./task-panel.tsx";
import { TimelineView } from "./timeline-view.tsx";

const GraphView = lazy(() => import("./graph-view.tsx"));

const VIEWS = [
  ["tasks", "Tasks"],
  ["graph", "Graph"],
  ["timeline", "Timeline"],
  ["plan", "Plan"],
  ["changes", "Changes"],
  ["audit", "Audit"],
  ["proof", "Proof"],
] as const;

/** One run: how it stands, what it waits for, and its views. One selected task goes through all of them. */
export default function RunPage({
  project,
  run,
  view,
  inbox,
}: {
  readonly project: string;
  readonly run: string;
  readonly view: string;
  readonly inbox: Inbox | null;
}) {
  const isOfThis = (event: LiveEvent) => isOfRun(run, event);
  const status = useResource<RunStatus>(runPath(project, run), isOfThis);
  const graph = useResource<RunGraph>(runPath(project, run, "/graph"), isOfThis);
  const selected = useAddress().query.get("task");
  const entries = inbox?.entries.filter((entry) => entry.run_id === status.value?.run_id) ?? [];

  return (
    <Shown of={status}>
      {(now) => (
        <>
          <RunHead project={project} now={now} />
          {entries.map((entry) => (
            <EntryCard key={entry.id} entry={entry} />
          ))}
          <nav className="tabs" aria-label="Views of the run">
            {VIEWS.map(([name, label]) => (
              <Link key={name} to={runAddress(project, run, name, selected ?? undefined)} current={view === name}>
                {label}
              </Link>
            ))}
          </nav>
          <div className={selected === null ? "views" : "views with-panel"}>
            <div className="view">
              {view === "plan" && <PlanView project={project} run={run} />}
              {view === "changes" && <ChangesView project={project} run={run} />}
              {view === "audit" && <AuditView project={project} run={run} />}
              {view === "proof" && <ProofView project={project} run={run} now={now} />}
              {["tasks", "graph", "timeline"].includes(view) && (
                <Shown of={graph}>
                  {(shown) => {
                    const props = {
                      graph: shown,
                      selected,
                      open: (task: string) => runAddress(project, run, view, task),
                    };
                    if (shown.tasks.length === 0) return <Empty>There is no plan yet, so there are no tasks.</Empty>;
                    if (view === "tasks") return <TaskList {...props} />;
                    if (view === "timeline") return <TimelineView {...props} />;
                    return (
                      <Suspense fallback={<p className="quiet">Loading …</p>}>
                        <GraphView {...props} />
                      </Suspense>
                    );
                  }}
                </Shown>
              )}
            </div>
            {selected !== null && (
              <TaskPanel
                project={project}
                run={run}
                task={selected}
                line={graph.value?.tasks.find(({ task_id }) => task_id === selected) ?? null}
                close={runAddress(project, run, view)}
              />
            )}
          </div>
        </>
      )}
    </Shown>
  );
}

function RunHead({ project, now }: { readonly project: string; readonly now: RunStatus }) {
  const { run_id, request, status, phase, reason, tasks, spend, started_at, can_go_on, served, trouble } = now;
  const over = isOver(status);
  return (
    <header className="run-head">
      <h1>{request === "" ? run_id : request}</h1>
      <p>
        <Status of={status} note={over ? null : phase} /> · {tasks.done} of {plural(tasks.total, "task")} done
        {tasks.running > 0 && ` · ${tasks.running} running`}
        {tasks.blocked > 0 && ` · ${tasks.blocked} blocked`}
        {tasks.failed > 0 && ` · ${tasks.failed} failed`} · <code>{run_id}</code>
        {started_at !== null && ` · since ${formatTime(started_at)}`}
      </p>
      {reason !== "" && <p className="quiet">{reason}</p>}
      {trouble !== null && (
        <p className="trouble" role="alert">
          {trouble}
        </p>
      )}
      <Budget spend={spend} />
      <RunOrders project={project} run={run_id} canResume={can_go_on && !served} isOver={over} />
    </header>
  );
}

/** What is used, reserved and left. Limits that stand for "no limit" are not drawn. */
function Budget({ spend: { used, reserved, budget } }: { readonly spend: Spend }) {
  if (budget === null || budget.cost_usd <= 0) return null;
  const share = Math.min(1, used.cost_usd / budget.cost_usd);
  return (
    <div className="budget">
      <meter min={0} max={1} high={0.8} value={share} aria-label="Share of the budget that is used" />
      <span>
        {formatCost(used.cost_usd)} of {formatCost(budget.cost_usd)}
        {reserved.cost_usd > 0 && `, ${formatCost(reserved.cost_usd)} reserved`} · {formatCount(used.tokens)} of{" "}
        {formatCount(budget.tokens)} tokens
      </span>
    </div>
  );
}

function RunOrders({
  project,
  run,
  canResume,
  isOver,
}: {
  readonly project: string;
  readonly run: string;
  readonly canResume: boolean;
  readonly isOver: boolean;
}) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const mayDecide = useMayDecide();
  if (!mayDecide || (isOver && !canResume)) return null;
  const order = (path: string) => () => {
    setProblem(null);
    post(runPath(project, run, path)).catch((error: unknown) => setProblem(asProblem(error)));
  };
  return (
    <p className="choices">
      {canResume && (
        <button type="button" className="primary" onClick={order("/resume")}>
          Resume
        </button>
      )}
      {!isOver && (
        <button type="button" onClick={order("/cancel")}>
          Cancel the run
        </button>
      )}
      {problem !== null && (
        <span className="trouble" role="alert">
          {problem.message} {problem.fix}
        </span>
      )}
    </p>
  );
}
