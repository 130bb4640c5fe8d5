import { useCallback, useId, useState } from "react";
import { decideMany, type SentDecision } from "../decide.ts";
import { plural } from "../format.ts";
import type { Entry } from "../types.ts";
import { useAction } from "../use-action.ts";
import { Refused } from "./states.tsx";

const TAKE_YES = new Set<Entry["kind"]>(["plan_approval", "review", "scope_request", "task_change"]);

/** Decides the selected entries at once. Each is decided for itself: one that came too late does not hold the others. */
export function BatchBar({
  entries,
  selected,
  select,
}: {
  readonly entries: readonly Entry[];
  readonly selected: ReadonlySet<string>;
  readonly select: (keys: ReadonlySet<string>) => void;
}) {
  const [reason, setReason] = useState("");
  const id = useId();
  const chosen = entries.filter((entry) => selected.has(keyOf(entry)));
  const { start, pending, problem, done } = useAction(
    useCallback(
      async (which: readonly Entry[], decision: SentDecision) => {
        const results = await decideMany(which, decision);
        select(new Set());
        return results;
      },
      [select],
    ),
  );
  const takesYes = chosen.every(({ kind }) => TAKE_YES.has(kind));
  const takesRetry = chosen.every(({ commands }) => commands.some((command) => command.includes("--order retry")));
  const said = reason.trim();
  const left = done?.filter(({ problem: why }) => why !== null) ?? [];
  return (
    <div className="batch" role="group" aria-label="Decide several at once">
      <p className="choices">
        <button type="button" className="plain" onClick={() => select(new Set(entries.map(keyOf)))}>
          Select all
        </button>
        {TAKE_ALL.map(([kind, label]) => {
          const keys = entries.filter((entry) => entry.kind === kind).map(keyOf);
          return keys.length < 2 ? null : (
            <button key={kind} type="button" className="plain" onClick={() => select(new Set(keys))}>
              {label} ({keys.length})
            </button>
          );
        })}
        {chosen.length > 0 && (
          <button type="button" className="plain" onClick={() => select(new Set())}>
            Select none
          </button>
        )}
      </p>
      {chosen.length > 0 && (
        <p className="choices">
          <strong>{chosen.length} selected</strong>
          {takesYes && (
            <button
              type="button"
              className="primary"
              disabled={pending}
              onClick={() => start(chosen, { kind: "approve" })}
            >
              Approve {chosen.length}
            </button>
          )}
          {(takesYes || takesRetry) && (
            <>
              <label htmlFor={id}>{takesYes ? "Reason to reject" : "Note"}</label>
              <input id={id} value={reason} onChange={(event) => setReason(event.target.value)} />
            </>
          )}
          {takesYes && (
            <button
              type="button"
              disabled={pending || said === ""}
              onClick={() => start(chosen, { kind: "reject", reason: said })}
            >
              Reject {chosen.length}
            </button>
          )}
          {takesRetry && (
            <button
              type="button"
              className="primary"
              disabled={pending}
              onClick={() =>
                start(chosen, { kind: "order", order: { action: "retry", ...(said === "" ? {} : { note: said }) } })
              }
            >
              Try {chosen.length} again
            </button>
          )}
          {!takesYes && !takesRetry && (
            <span className="quiet">These take different answers: decide each on its card.</span>
          )}
        </p>
      )}
      <Refused problem={problem} />
      {done !== null && (
        <p role="status">
          ✓ {plural(done.length - left.length, "entry", "entries")} decided
          {left.length > 0 && <>; ✕ {left.length} not decided:</>}
        </p>
      )}
      {left.length > 0 && (
        <ul>
          {left.map(({ about, problem: why }, index) => (
            // Two entries may be about the same; their order never changes.
            <li key={index}>
              {about}: {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const TAKE_ALL = [
  ["plan_approval", "Select all plans"],
  ["review", "Select all reviews"],
  ["scope_request", "Select all requests for more"],
  ["escalation", "Select all tasks that cannot go on"],
] as const;

export const keyOf = ({ project, run_id, id }: Entry) => `${project}/${run_id}/${id}`;
