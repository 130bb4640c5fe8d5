import { useState } from "react";
import { RunTable } from "../parts/run-table.tsx";
import { Empty } from "../parts/states.tsx";
import { useAllRuns } from "../use-runs.ts";

/** Every run of every project, newest first. */
export function RunsPage() {
  const { projects, runs, unreadable, names, loading } = useAllRuns();
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const found = runs.filter(
    ({ request, run_id, project }) =>
      wanted === "" || `${request} ${run_id} ${names.get(project) ?? ""}`.toLowerCase().includes(wanted),
  );
  return (
    <section aria-labelledby="runs">
      <div className="heading">
        <h1 id="runs">Runs</h1>
        <label>
          Search <input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
        </label>
      </div>
      {projects.flatMap(({ id, name, problem }) =>
        problem === null
          ? []
          : [
              <p key={id} className="trouble" role="alert">
                {name} cannot be opened: {problem}
              </p>,
            ],
      )}
      {unreadable.map(({ run_id, problem }) => (
        <p key={run_id} className="trouble" role="alert">
          {run_id} cannot be read: {problem}
        </p>
      ))}
      {found.length > 0 && <RunTable runs={found} names={names} />}
      {found.length === 0 && !loading && (
        <Empty>
          {runs.length === 0 ? "There are no runs yet. A new request begins one." : "No run has these words."}
        </Empty>
      )}
    </section>
  );
}
