import { runPath } from "../api.ts";
import { formatAge, formatCost, formatCount } from "../format.ts";
import type { LiveEvent } from "../live.ts";
import { Diff } from "../parts/diff.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { runAddress } from "../router.ts";
import type { Activity, Diff as DiffShown, GraphTask, RunStatus, TaskDetail } from "../types.ts";
import { isOfRun, useResource } from "../use-resource.ts";
import { Attempt } from "./attempt.tsx";
import { Output } from "./output.tsx";
import { noteOf } from "./task-list.tsx";

interface TaskPanelProps {
  readonly project: string;
  readonly run: string;
  readonly task: string;
  /** Null for a task that the run does not have. */
  readonly line: GraphTask | null;
  /** The checks and setups that are under way for it. */
  readonly activity: readonly Activity[];
  /** Usage that its agent has reported in the attempt under way. */
  readonly reported: Reported;
  readonly close: string;
}

type Reported = RunStatus["running"][number]["used"];

/** Everything about one task: what its agent does now, its attempts, what it was given, its changes and what proves them. */
export function TaskPanel({ project, run, task, line, activity, reported, close }: TaskPanelProps) {
  const isOfThis = (event: LiveEvent) => isOfRun(run, event);
  const detail = useResource<TaskDetail>(runPath(project, run, `/tasks/${encodeURIComponent(task)}`), isOfThis);
  const hasWork = line !== null && line.attempts > 0;
  const diffPath = runPath(project, run, `/diff?task=${encodeURIComponent(task)}`);
  const diff = useResource<DiffShown>(hasWork ? diffPath : null, isOfThis);
  const metConflict = detail.value?.attempts.some(({ records }) => records.resolution !== null) ?? false;
  return (
    <aside className="panel" aria-label={`Task ${task}`}>
      <div className="panel-head">
        <h2>{line?.title ?? task}</h2>
        <Link to={close}>Close</Link>
      </div>
      {line !== null && <TaskFacts line={line} reported={reported} />}
      {line?.status === "in_progress" && <Now line={line} activity={activity} />}
      {hasWork && <Output key={line.attempts} project={project} run={run} task={task} attempt={line.attempts} />}
      {metConflict && (
        <p>
          <Link to={runAddress(project, run, "conflicts", task)}>It met a conflict: base, both sides and result</Link>
        </p>
      )}
      <Shown of={detail}>
        {({ attempts }) => (
          <>
            {attempts.length === 0 && <Empty>No agent has worked on it yet.</Empty>}
            {attempts.toReversed().map((attempt, index) => (
              <Attempt key={attempt.attempt} attempt={attempt} isLast={index === 0} />
            ))}
          </>
        )}
      </Shown>
      {hasWork && (
        <>
          <h3>Changes</h3>
          {diff.problem?.code === "NOT_FOUND" ? (
            <Empty>No changes are kept of it yet.</Empty>
          ) : (
            <Shown of={diff}>{({ patch, truncated }) => <Diff patch={patch} truncated={truncated} />}</Shown>
          )}
        </>
      )}
    </aside>
  );
}

interface FactsProps {
  readonly line: GraphTask;
  readonly reported: Reported;
}

function TaskFacts({ line, reported }: FactsProps) {
  const { used, estimate, dependencies, files, description, title } = line;
  return (
    <>
      <p>
        <Status of={line.status} note={noteOf(line)} /> · {line.agent} {line.model}
      </p>
      {description !== null && description !== title && <p className="lines">{description}</p>}
      <dl className="facts">
        <dt>Cost</dt>
        <dd>
          {formatCost(used.cost_usd + reported.cost_usd)} of about {formatCost(estimate.cost_usd)},{" "}
          {formatCount(used.tokens + reported.tokens)} of about {formatCount(estimate.tokens)} tokens
        </dd>
        <dt>Builds on</dt>
        <dd>{dependencies.length === 0 ? "nothing" : dependencies.join(", ")}</dd>
        {files.length > 0 && (
          <>
            <dt>May touch</dt>
            <dd>
              <code>{files.join(" ")}</code>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

/** Shows the work of this moment, as far as it is recorded. */
function Now({ line, activity }: { readonly line: GraphTask; readonly activity: readonly Activity[] }) {
  return (
    <div className="now" role="status" aria-label="What goes on now">
      <p>
        <strong>▶ Now:</strong> {line.stage}
        {line.doing !== null && `, ${line.doing}`}
        {line.since !== null && <span className="quiet"> · began {formatAge(line.since, Date.now())}</span>}
      </p>
      {activity.map(({ id, what, on, passed, failed, last, ended, outcome }) => (
        <p key={id}>
          {ended === null ? "▶" : "·"} {what} on {on}: {passed} passed, {failed} failed
          {ended === null ? last === "" ? "" : <code> {last}</code> : `, ${outcome}`}
        </p>
      ))}
    </div>
  );
}
