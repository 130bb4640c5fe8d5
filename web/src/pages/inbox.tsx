import { EntryCard } from "../parts/entry-card.tsx";
import { Link } from "../parts/link.tsx";
import { RunTable } from "../parts/run-table.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { isOver } from "../parts/status.tsx";
import { plural } from "../format.ts";
import { runAddress } from "../router.ts";
import type { Inbox } from "../types.ts";
import { useAllRuns } from "../use-runs.ts";
import type { Resource } from "../use-resource.ts";

/** Where one is needed, over all projects; then what runs, and what ended. */
export function InboxPage({ inbox }: { readonly inbox: Resource<Inbox> }) {
  const { runs, names } = useAllRuns();
  const active = runs.filter(({ status }) => !isOver(status));
  // A request that was planned has a run of its own; its own log tells nothing more here.
  const ended = runs.filter(({ status, run_id }) => isOver(status) && !isPlannedRequest(run_id, status)).slice(0, 8);
  return (
    <>
      <section aria-labelledby="needs-you">
        <div className="heading">
          <h1 id="needs-you">Needs you</h1>
          <NoticeSwitch />
        </div>
        <Shown of={inbox}>
          {({ entries, standing, problems }) => (
            <>
              {entries.length === 0 && <Empty>Nothing waits on you.</Empty>}
              {entries.map((entry) => (
                <EntryCard
                  key={`${entry.run_id}/${entry.id}`}
                  entry={entry}
                  projectName={names.get(entry.project) ?? entry.project}
                />
              ))}
              {standing.map(({ project, run_id, done, total }) => (
                <p key={run_id} className="card">
                  <strong>Nobody works on this run.</strong> {done} of {plural(total, "task")} done.{" "}
                  <Link to={runAddress(project, run_id)}>Open it to resume it</Link>
                </p>
              ))}
              {problems.map((problem) => (
                <p key={problem} className="trouble" role="alert">
                  {problem}
                </p>
              ))}
            </>
          )}
        </Shown>
      </section>
      <section aria-labelledby="active">
        <h2 id="active">Running and next</h2>
        {active.length === 0 ? <Empty>No run is active.</Empty> : <RunTable runs={active} names={names} />}
      </section>
      <section aria-labelledby="ended">
        <h2 id="ended">Finished</h2>
        {ended.length === 0 ? <Empty>No run has ended yet.</Empty> : <RunTable runs={ended} names={names} />}
      </section>
    </>
  );
}

const isPlannedRequest = (run_id: string, status: string) => run_id.startsWith("req_") && status === "completed";

function NoticeSwitch() {
  if (!("Notification" in window) || Notification.permission !== "default") return null;
  return (
    <button type="button" className="plain" onClick={() => void Notification.requestPermission()}>
      Notify me on this desktop
    </button>
  );
}
