import { memo, useMemo, useState } from "react";
import { formatCost } from "../format.ts";
import { Link } from "../parts/link.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Status } from "../parts/status.tsx";
import type { GraphTask, RunGraph } from "../types.ts";
import { Heads } from "../parts/heads.tsx";

export interface TaskViewProps {
  readonly graph: RunGraph;
  readonly selected: string | null;
  /** The address at which a task is selected. */
  readonly open: (task: string) => string;
}

/** So many rows are shown at once; the search looks at all of them. */
const PAGE = 200;

/** The data of graph and timeline as a list, for the keyboard, a screen reader and text search. */
export function TaskList({ graph, selected, open }: TaskViewProps) {
  const [hidesDone, setHidesDone] = useState(false);
  const [words, setWords] = useState("");
  const [most, setMost] = useState(PAGE);
  const wanted = words.trim().toLowerCase();
  const tasks = useMemo(
    () =>
      graph.tasks.filter(
        (task) =>
          !(hidesDone && task.status === "completed") &&
          (wanted === "" ||
            `${task.task_id} ${task.title} ${task.agent} ${task.status}`.toLowerCase().includes(wanted)),
      ),
    [graph.tasks, hidesDone, wanted],
  );
  const critical = useMemo(() => new Set(graph.critical_path.tasks), [graph.critical_path]);
  return (
    <>
      <p className="choices">
        <label>
          Search <input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
        </label>
        <label>
          <input type="checkbox" checked={hidesDone} onChange={(event) => setHidesDone(event.target.checked)} /> Hide
          finished
        </label>
      </p>
      <Scroll label="Tasks">
        <table>
          <Heads of={["Task", "State", "Agent", "Builds on", "Attempts", "Cost"]} />
          <tbody>
            {tasks.slice(0, most).map((task) => (
              <TaskRow
                key={task.task_id}
                task={task}
                isSelected={task.task_id === selected}
                isCritical={critical.has(task.task_id)}
                to={open(task.task_id)}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      {tasks.length === 0 && <p className="empty">No task is left to show.</p>}
      {tasks.length > most && (
        <p className="choices">
          <span>
            {most} of {tasks.length} are shown.
          </span>
          <button type="button" onClick={() => setMost(most + PAGE)}>
            Show {Math.min(PAGE, tasks.length - most)} more
          </button>
        </p>
      )}
    </>
  );
}

interface TaskRowProps {
  readonly task: GraphTask;
  readonly isSelected: boolean;
  readonly isCritical: boolean;
  readonly to: string;
}

const TaskRow = memo(function TaskRow({ task, isSelected, isCritical, to }: TaskRowProps) {
  return (
    <tr className={isSelected ? "selected" : undefined}>
      <td>
        <Link to={to} current={isSelected}>
          {task.title}
        </Link>
        {isCritical && <span className="quiet"> · ◆ on the critical path</span>}
      </td>
      <td>
        <Status of={task.status} note={noteOf(task)} />
      </td>
      <td>
        {task.agent}
        {task.model !== null && <span className="quiet"> {task.model}</span>}
      </td>
      <td>{task.dependencies.join(", ")}</td>
      <td>{task.attempts}</td>
      <td>
        {formatCost(task.used.cost_usd)}
        <span className="quiet"> of about {formatCost(task.estimate.cost_usd)}</span>
      </td>
    </tr>
  );
});

/** Describes what a state does not say by itself: the stage of one in progress, the cause of one that waits. */
export function noteOf({ stage, doing, reason, ready, status }: GraphTask): string | null {
  if (stage !== null) return doing === null ? stage : `${stage}, ${doing}`;
  if (reason !== null) return reason;
  return ready && status === "pending" ? "ready" : null;
}
