import { lazy, Suspense } from "react";
import { runPath } from "../api.ts";
import type { LiveEvent } from "../live.ts";
import { EntryCard } from "../parts/entry-card.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Loading, Shown } from "../parts/states.tsx";
import { runAddress, useAddress } from "../router.ts";
import type { Inbox, RunGraph, RunStatus } from "../types.ts";
import { isOfRun, type Resource, useResource } from "../use-resource.ts";
import { AuditView } from "./audit-view.tsx";
import { ChangesView } from "./changes-view.tsx";
import { ConflictView } from "./conflict-view.tsx";
import { HandoffView } from "./handoff-view.tsx";
import { PlanView } from "./plan-view.tsx";
import { ProofView } from "./proof-view.tsx";
import { RunHead } from "./run-head.tsx";
import { TaskList } from "./task-list.tsx";
import { TaskPanel } from "./task-panel.tsx";
import { TimelineView } from "./timeline-view.tsx";

const GraphView = lazy(() => import("./graph/graph-view.tsx"));

const VIEWS = [
  ["tasks", "Tasks"],
  ["graph", "Graph"],
  ["timeline", "Timeline"],
  ["plan", "Plan"],
  ["changes", "Changes"],
  ["conflicts", "Conflicts"],
  ["audit", "Audit"],
  ["proof", "Proof"],
  ["handoff", "Handoff"],
] as const;

interface RunPageProps {
  readonly project: string;
  readonly run: string;
  readonly view: string;
  readonly inbox: Inbox | null;
}

/** One run: how it stands, what it waits for, and its views. One selected task goes through all of them. */
export default function RunPage({ project, run, view, inbox }: RunPageProps) {
  const isOfThis = (event: LiveEvent) => isOfRun(run, event);
  const status = useResource<RunStatus>(runPath(project, run), isOfThis);
  const graph = useResource<RunGraph>(runPath(project, run, "/graph"), isOfThis);
  const selected = useAddress().query.get("task");
  const entries = inbox?.entries.filter((entry) => entry.run_id === status.value?.run_id) ?? [];

  return (
    <Shown of={status}>
      {(now) => (
        <>
          <RunHead project={project} now={now} entries={entries} />
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
              <View project={project} run={run} view={view} now={now} graph={graph} selected={selected} />
            </div>
            {selected !== null && (
              <TaskPanel
                key={selected}
                project={project}
                run={run}
                task={selected}
                line={graph.value?.tasks.find(({ task_id }) => task_id === selected) ?? null}
                activity={now.activity.filter(({ task_id }) => task_id === selected)}
                reported={now.running.find(({ task_id }) => task_id === selected)?.used ?? NOTHING_USED}
                close={runAddress(project, run, view)}
              />
            )}
          </div>
        </>
      )}
    </Shown>
  );
}

const NOTHING_USED = { cost_usd: 0, tokens: 0 };

interface ViewProps extends Omit<RunPageProps, "inbox"> {
  readonly now: RunStatus;
  readonly graph: Resource<RunGraph>;
  readonly selected: string | null;
}

function View({ project, run, view, now, graph, selected }: ViewProps) {
  switch (view) {
    case "plan":
      if (now.plan_id === null) return <Empty>There is no plan yet.</Empty>;
      return <PlanView project={project} run={run} />;
    case "changes":
      if (now.plan_id === null) return <Empty>Nothing has been changed yet.</Empty>;
      return <ChangesView project={project} run={run} />;
    case "conflicts":
      return <ConflictView project={project} run={run} selected={selected} />;
    case "audit":
      return <AuditView project={project} run={run} tasks={graph.value?.tasks ?? []} />;
    case "proof":
      return <ProofView project={project} run={run} now={now} />;
    case "handoff":
      return <HandoffView project={project} run={run} />;
    case "tasks":
    case "graph":
    case "timeline":
      return (
        <Shown of={graph}>
          {(shown) => {
            if (shown.tasks.length === 0) return <Empty>There is no plan yet, so there are no tasks.</Empty>;
            const props = { graph: shown, selected, open: (task: string) => runAddress(project, run, view, task) };
            if (view === "tasks") return <TaskList {...props} />;
            if (view === "timeline") return <TimelineView {...props} />;
            return (
              <Suspense fallback={<Loading />}>
                <GraphView {...props} />
              </Suspense>
            );
          }}
        </Shown>
      );
    default:
      return <Empty>There is no such view.</Empty>;
  }
}
