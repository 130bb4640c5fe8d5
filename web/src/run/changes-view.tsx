import { useCallback } from "react";
import { post, runPath } from "../api.ts";
import { Diff } from "../parts/diff.tsx";
import { Refused, Shown } from "../parts/states.tsx";
import { useMayDecide } from "../session.ts";
import type { Diff as DiffShown, Merged } from "../types.ts";
import { useAction } from "../use-action.ts";
import { isOfRun, useResource } from "../use-resource.ts";

/** Shows the change of the run, and takes it onto the person's branch. */
export function ChangesView({ project, run }: { readonly project: string; readonly run: string }) {
  const diff = useResource<DiffShown>(runPath(project, run, "/diff"), (event) => isOfRun(run, event));
  return (
    <Shown of={diff}>
      {({ patch, truncated, files }) => (
        <>
          {patch !== "" && <Merge project={project} run={run} />}
          {files.length > 0 && (
            <ul className="plain-list">
              {files.map(({ path, added, removed }) => (
                <li key={path}>
                  <code>{path}</code>{" "}
                  <span className="quiet">{added === null ? "not text" : `+${added} −${removed ?? 0}`}</span>
                </li>
              ))}
            </ul>
          )}
          <Diff patch={patch} truncated={truncated} />
        </>
      )}
    </Shown>
  );
}

function Merge({ project, run }: { readonly project: string; readonly run: string }) {
  const mayDecide = useMayDecide();
  const { start, pending, problem, done } = useAction(
    useCallback(() => post<Merged>(runPath(project, run, "/merge")), [project, run]),
  );
  if (!mayDecide) return null;
  const isMerged = done?.status === "merged";
  return (
    <div>
      {!isMerged && (
        <button type="button" className="primary" disabled={pending} onClick={() => start()}>
          {pending ? "Merging …" : "Merge into the branch"}
        </button>
      )}
      {done !== null && (
        <p role="status">{done.status === "merged" ? `✓ Merged into ${done.into}.` : `✕ ${done.reason} ${done.fix}`}</p>
      )}
      <Refused problem={problem} />
    </div>
  );
}
