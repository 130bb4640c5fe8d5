import { useEffect, useState } from "react";
import { asProblem, type Problem, read } from "../api.ts";
import { listen } from "../live.ts";
import { EntryCard } from "../parts/entry-card.tsx";
import { Link } from "../parts/link.tsx";
import { Trouble } from "../parts/states.tsx";
import { runAddress } from "../router.ts";
import type { Inbox, SubmittedRequest } from "../types.ts";

const LOOK_MS = 700;

interface ProgressProps {
  readonly first: SubmittedRequest;
  readonly inbox: Inbox | null;
  readonly again: () => void;
}

/** The request on its way, with what it asks: until it has a plan to approve, or has ended without one. */
export function RequestProgress({ first, inbox, again }: ProgressProps) {
  const { now, problem } = useProgress(first);
  const { project, run_id } = now;
  const said = messageOf(now.report);
  const entries = inbox?.entries.filter((entry) => entry.project === project && entry.run_id === run_id) ?? [];
  const isWorking = now.state === "working";
  return (
    <div>
      <h2>{first.text}</h2>
      <p role="status">
        {isWorking ? "The plan is being made …" : entries.length > 0 ? "It waits on you." : "Planning has ended."}
      </p>
      <ul className="plain-list">
        {now.progress.map((line, index) => (
          // Lines of progress are only ever added.
          <li key={index}>{line}</li>
        ))}
      </ul>
      {said !== null && run_id === null && <p>{said}</p>}
      {!isWorking && entries.map((entry) => <EntryCard key={entry.id} entry={entry} />)}
      {run_id !== null && (
        <p>
          {isRequest(run_id) ? (
            <Link to={runAddress(project, run_id, "audit")}>What was decided of this request</Link>
          ) : (
            <Link to={runAddress(project, run_id, "plan")} className="button">
              Open the run and read its plan
            </Link>
          )}
        </p>
      )}
      {problem !== null && <Trouble problem={problem} head="Its state is not known." />}
      {!isWorking && (
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

/** The log of a request that is not a run, or not yet. */
const isRequest = (run_id: string) => run_id.startsWith("req_");

/**
 * What became of a request: looked at again and again while it is planned, and afterwards when something happens to it, since
 * an answer lets the planning go on.
 *
 * Contract: asks again after a failure too, for as long as the page is shown.
 */
function useProgress(first: SubmittedRequest) {
  const [now, setNow] = useState(first);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [turn, setTurn] = useState(0);
  const { project, request_id } = first;
  const rests = now.state === "ended" && problem === null;
  const run = now.run_id;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      timer ??= setTimeout(() => {
        read<SubmittedRequest>(`/projects/${encodeURIComponent(project)}/requests/${request_id}`)
          .then((value) => {
            setNow(value);
            setProblem(null);
          })
          .catch((error: unknown) => setProblem(asProblem(error)))
          .finally(() => setTurn((before) => before + 1));
      }, LOOK_MS);
    };
    if (!rests) look();
    const stop = listen((event) => {
      if (event === null || event.run_id === run) look();
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [rests, run, turn, project, request_id]);
  return { now, problem };
}

/** The last report of a request says in one sentence why there is no run. */
function messageOf(report: unknown): string | null {
  if (typeof report !== "object" || report === null || !("message" in report)) return null;
  return typeof report.message === "string" ? report.message : null;
}
