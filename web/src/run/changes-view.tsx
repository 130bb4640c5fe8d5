import { useState } from "react";
import { asProblem, post, type Problem, runPath } from "../api.ts";
import { Diff } from "../parts/diff.tsx";
import { Shown } from "../parts/states.tsx";
import { useMayDecide } from "../session.ts";
import { isOfRun, useResource } from "../use-resource.ts";

/** What the run changed, and taking it onto the person's branch. */
export function ChangesView({ project, run }: { readonly project: string; readonly run: string }) {
  const diff = useResource<{ patch: string; truncated: boolean }>(runPath(project, run, "/diff"), (event) =>
    isOfRun(run, event),
  );
  return (
    <Shown of={diff}>
      {({ patch, truncated }) => (
        <>
          {patch !== "" && <Merge project={project} run={run} />}
          <Diff patch={patch} truncated={truncated} />
        </>
      )}
    </Shown>
  );
}

function Merge({ project, run }: { readonly project: string; readonly run: string }) {
  const mayDecide = useMayDecide();
  const [isMerging, setMerging] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (!mayDecide) return null;
  async function merge(): Promise<void> {
    setMerging(true);
    setProblem(null);
    try {
      const merged = await post<{ into?: string; branch?: string; commit?: string }>(runPath(project, run, "/merge"));
      setDone(`Merged into ${merged.branch ?? merged.into ?? "your branch"}.`);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setMerging(false);
    }
  }
  return (
    <div className="choices">
      {done === null && (
        <button type="button" className="primary" disabled={isMerging} onClick={() => void merge()}>
          {isMerging ? "Merging …" : "Merge into the branch"}
        </button>
      )}
      {done !== null && <p role="status">{done}</p>}
      {problem !== null && (
        <div className="trouble" role="alert">
          <p>{problem.message}</p>
          {problem.fix !== null && <p>{problem.fix}</p>}
        </div>
      )}
    </div>
  );
}
