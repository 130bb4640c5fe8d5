import { runPath } from "../api.ts";
import { formatTime } from "../format.ts";
import { Link } from "../parts/link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { runAddress } from "../router.ts";
import type { ConflictShown, Timeline } from "../types.ts";
import { isOfRun, useResource } from "../use-resource.ts";
import { ConflictFile } from "./conflict-file.tsx";

const MOST = 1000;

/** The conflicts of a run; of the selected task: each file as it was, as both sides have it, and what became of it. */
export function ConflictView({
  project,
  run,
  selected,
}: {
  readonly project: string;
  readonly run: string;
  readonly selected: string | null;
}) {
  const path = runPath(project, run, `/timeline?type=conflict_found,conflict_resolved&limit=${MOST}`);
  const found = useResource<Timeline>(path, (event) => isOfRun(run, event));
  return (
    <Shown of={found}>
      {({ lines }) => {
        const tasks = [...new Set(lines.flatMap(({ task_id }) => task_id ?? []))];
        if (tasks.length === 0) return <Empty>No two tasks of this run changed the same lines.</Empty>;
        const shown = selected !== null && tasks.includes(selected) ? selected : tasks.length === 1 ? tasks[0] : null;
        return (
          <>
            <ul className="plain-list">
              {lines.map(({ sequence, at, told, task_id }) => (
                <li key={sequence}>
                  <time className="quiet" dateTime={at}>
                    {formatTime(at)}
                  </time>{" "}
                  {task_id === null ? (
                    told
                  ) : (
                    <Link to={runAddress(project, run, "conflicts", task_id)} current={task_id === shown}>
                      {told}
                    </Link>
                  )}
                </li>
              ))}
            </ul>
            {shown === null || shown === undefined ? (
              <Empty>Choose a conflict to see its files.</Empty>
            ) : (
              <OneConflict key={shown} project={project} run={run} task={shown} />
            )}
          </>
        );
      }}
    </Shown>
  );
}

function OneConflict({
  project,
  run,
  task,
}: {
  readonly project: string;
  readonly run: string;
  readonly task: string;
}) {
  const path = runPath(project, run, `/tasks/${encodeURIComponent(task)}/conflict`);
  const conflict = useResource<ConflictShown>(path, (event) => isOfRun(run, event));
  return (
    <Shown of={conflict}>
      {({ task_id, others, taken, objections, files }) => (
        <section aria-label={`Conflict of ${task_id}`}>
          <h3>
            {task_id} and {others.length === 0 ? "what was on the branch" : others.join(", ")}
          </h3>
          <p>{tellOutcome(taken)}</p>
          {objections.length > 0 && (
            <ul>
              {objections.map((objection) => (
                <li key={objection}>{objection}</li>
              ))}
            </ul>
          )}
          {files.map((file) => (
            <ConflictFile key={file.path} file={file} task={task_id} taken={taken} />
          ))}
        </section>
      )}
    </Shown>
  );
}

function tellOutcome(taken: boolean | null): string {
  if (taken === null) return "○ Not resolved yet.";
  return taken
    ? "✓ Resolved: the result keeps what both sides wrote, and was checked as a whole."
    : "✕ The proposed resolution was not taken.";
}
