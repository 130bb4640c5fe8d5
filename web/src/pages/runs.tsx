import { useState } from "react";
import { RunTable } from "../parts/run-table.tsx";
import { Empty, Shown, Trouble } from "../parts/states.tsx";
import { WorkersSection } from "../parts/workers.tsx";
import { isPlannedRequest, RUNS_AT_ONCE, useAllRuns } from "../use-runs.ts";

/** Every run of every project, newest first. */
export function RunsPage() {
  const [most, setMost] = useState(RUNS_AT_ONCE);
  const all = useAllRuns(most);
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  return (
    <section aria-labelledby="runs">
      <div className="heading">
        <h1 id="runs">Runs</h1>
        <label>
          Search <input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
        </label>
      </div>
      <Shown of={all}>
        {({ projects, runs, unreadable, total, names }) => {
          const read = runs.length + unreadable.length;
          const found = runs.filter(
            ({ request, run_id, status, project }) =>
              !isPlannedRequest({ run_id, status }) &&
              (wanted === "" || `${request} ${run_id} ${names.get(project) ?? ""}`.toLowerCase().includes(wanted)),
          );
          return (
            <>
              {projects.map(({ id, name, problem }) =>
                problem === null ? null : (
                  <Trouble key={id} problem={problem} head={`The project ${name} cannot be opened.`} />
                ),
              )}
              {unreadable.map(({ run_id, problem }) => (
                <Trouble
                  key={run_id}
                  problem={{ message: problem, fix: null }}
                  head={`The run ${run_id} cannot be read.`}
                />
              ))}
              {found.length > 0 ? (
                <RunTable runs={found} names={names} />
              ) : (
                <Empty>
                  {runs.length === 0 ? "There are no runs yet. A new request begins one." : "No run has these words."}
                </Empty>
              )}
              {read < total && (
                <p className="choices">
                  <span>
                    The newest {read} of {total} runs are shown{wanted !== "" && " and searched"}.
                  </span>
                  <button type="button" onClick={() => setMost(most + RUNS_AT_ONCE)}>
                    Read older runs
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Shown>
      <WorkersSection />
    </section>
  );
}
