import { useEffect, useState } from "react";
import { asProblem, type Problem, read } from "../api.ts";
import { Link } from "../parts/link.tsx";
import { Trouble } from "../parts/states.tsx";
import { runAddress } from "../router.ts";
import type { SubmittedRequest } from "../types.ts";

const LOOK_MS = 700;

/** The request on its way: until it has a run, or has ended without one. */
export function RequestProgress({ first, again }: { readonly first: SubmittedRequest; readonly again: () => void }) {
  const { now, problem } = useProgress(first);
  const said = messageOf(now.report);
  return (
    <div>
      <p role="status">{now.state === "working" ? "The plan is being made …" : "Planning has ended."}</p>
      <ul className="plain-list">
        {now.progress.map((line, index) => (
          // Lines of progress are only ever added.
          <li key={index}>{line}</li>
        ))}
      </ul>
      {said !== null && now.run_id === null && <p>{said}</p>}
      {now.run_id !== null && (
        <p>
          <Link to={runAddress(first.project, now.run_id, "plan")} className="button">
            Open the run and read its plan
          </Link>
        </p>
      )}
      {problem !== null && <Trouble problem={problem} head="Its state is not known." />}
      {now.state === "ended" && (
        <p>
          <Link to="/">What waits on you</Link> ·{" "}
          <button type="button" className="plain" onClick={again}>
            Another request
          </button>
        </p>
      )}
    </div>
  );
}

/** Contract: asks again after a failure too, for as long as the page is shown. */
function useProgress(first: SubmittedRequest) {
  const [now, setNow] = useState(first);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (now.state === "ended") return undefined;
    const timer = setTimeout(() => {
      read<SubmittedRequest>(`/projects/${encodeURIComponent(first.project)}/requests/${first.request_id}`)
        .then((value) => {
          setNow(value);
          setProblem(null);
        })
        .catch((error: unknown) => setProblem(asProblem(error)))
        .finally(() => setTurn((before) => before + 1));
    }, LOOK_MS);
    return () => clearTimeout(timer);
  }, [now.state, turn, first]);
  return { now, problem };
}

/** The last report of a request says in one sentence why there is no run. */
function messageOf(report: unknown): string | null {
  if (typeof report !== "object" || report === null || !("message" in report)) return null;
  return typeof report.message === "string" ? report.message : null;
}
