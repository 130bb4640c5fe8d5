import { useState } from "react";
import { runPath } from "../api.ts";
import { formatTime } from "../format.ts";
import { Empty, Shown } from "../parts/states.tsx";
import type { Timeline } from "../types.ts";
import { isOfRun, useResource } from "../use-resource.ts";

const PAGE = 500;

/** Everything that happened, with who decided it and how; filtered, a page at a time, and as a file. */
export function AuditView({ project, run }: { readonly project: string; readonly run: string }) {
  const [onlyDecisions, setOnlyDecisions] = useState(false);
  const [after, setAfter] = useState(0);
  const query = `after=${after}&limit=${PAGE}&decisions=${String(onlyDecisions)}`;
  // The first page grows with the log; later ones stay as they are.
  const timeline = useResource<Timeline>(
    runPath(project, run, `/timeline?${query}`),
    (event) => after === 0 && isOfRun(run, event),
  );
  return (
    <>
      <p className="choices">
        <label>
          <input
            type="checkbox"
            checked={onlyDecisions}
            onChange={(event) => {
              setOnlyDecisions(event.target.checked);
              setAfter(0);
            }}
          />{" "}
          Only decisions
        </label>
        <a href={`/api/v1${runPath(project, run, "/tape")}`} download>
          Download the log with its checkpoints
        </a>
      </p>
      <Shown of={timeline}>
        {({ lines, next }) => (
          <>
            {lines.length === 0 && <Empty>Nothing has been recorded here.</Empty>}
            <ol className="audit">
              {lines.map(({ sequence, at, told, decider }) => (
                <li key={sequence} value={sequence}>
                  <time dateTime={at}>{formatTime(at)}</time> {told}
                  {decider !== null && (
                    <span className="quiet">
                      {" "}
                      · {decider.how === "rule" ? "by rule" : `by ${decider.by}`}
                      {decider.via === undefined ? "" : `, ${decider.via}`}
                    </span>
                  )}
                </li>
              ))}
            </ol>
            <p className="choices">
              {after > 0 && (
                <button type="button" onClick={() => setAfter(0)}>
                  From the beginning
                </button>
              )}
              {next !== null && (
                <button type="button" onClick={() => setAfter(next)}>
                  More
                </button>
              )}
            </p>
          </>
        )}
      </Shown>
    </>
  );
}
