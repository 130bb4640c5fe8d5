import { useCallback } from "react";
import { post, runPath } from "../api.ts";
import { formatTime, plural } from "../format.ts";
import { Empty, Refused, Shown } from "../parts/states.tsx";
import { useMayDecide } from "../session.ts";
import type { Handoff } from "../types.ts";
import { useAction } from "../use-action.ts";
import { isOfRun, useResource } from "../use-resource.ts";

/** Shows the handoff of one session to the next: the state, what to do next, and who has read it. */
export function HandoffView({ project, run }: { readonly project: string; readonly run: string }) {
  const handoff = useResource<Handoff>(runPath(project, run, "/handoff"), (event) => isOfRun(run, event));
  const mayDecide = useMayDecide();
  const { reload } = handoff;
  const write = useAction(
    useCallback(async () => {
      await post(runPath(project, run, "/handoff"));
      reload();
      return true;
    }, [project, run, reload]),
  );
  const receive = useAction(
    useCallback(async () => {
      await post(`/projects/${encodeURIComponent(project)}/handoff/receipt`);
      reload();
      return true;
    }, [project, reload]),
  );
  const isMissing = handoff.problem?.code === "NOT_FOUND";
  return (
    <>
      {mayDecide && (
        <p className="choices">
          <button type="button" disabled={write.pending} onClick={() => write.start()}>
            {write.pending ? "Writing …" : "Write a handoff now"}
          </button>
        </p>
      )}
      <Refused problem={write.problem ?? receive.problem} />
      {isMissing ? (
        <Empty>No session of this run has left a handoff yet. A session that ends leaves one.</Empty>
      ) : (
        <Shown of={handoff}>
          {({ record, text, events_since }) => (
            <>
              <p>
                {events_since === 0
                  ? "✓ Nothing has happened since it was written."
                  : `! It may be out of date: ${plural(events_since, "event")} since it was written.`}
              </p>
              <dl className="facts">
                <dt>In short</dt>
                <dd>{record.summary}</dd>
                <dt>Written</dt>
                <dd>
                  <time dateTime={record.created_at}>{formatTime(record.created_at)}</time>
                </dd>
                <dt>File</dt>
                <dd>
                  <code>{record.path}</code>
                </dd>
                <dt>Read</dt>
                <dd>
                  {record.read === null ? "by nobody yet" : `by ${record.read.by}, ${formatTime(record.read.at)}`}{" "}
                  {mayDecide && record.read === null && (
                    <button type="button" disabled={receive.pending} onClick={() => receive.start()}>
                      I have read it
                    </button>
                  )}
                </dd>
              </dl>
              {text === null ? <Empty>Its file is not there any more.</Empty> : <pre className="whole">{text}</pre>}
            </>
          )}
        </Shown>
      )}
    </>
  );
}
