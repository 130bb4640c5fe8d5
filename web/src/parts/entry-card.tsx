import { useCallback } from "react";
import { decideEntry, type SentDecision } from "../decide.ts";
import { formatAge, formatCost, withoutHashes } from "../format.ts";
import { runAddress } from "../router.ts";
import { useMayDecide } from "../session.ts";
import type { Entry, Spend } from "../types.ts";
import { useAction } from "../use-action.ts";
import { EntryEvidence } from "./entry-evidence.tsx";
import { EntryChoices } from "./entry-choices.tsx";
import { Link } from "./link.tsx";
import { Refused } from "./states.tsx";

/** The kinds of entries, as a person says them. */
const KINDS: Readonly<Record<Entry["kind"], string>> = {
  plan_approval: "A plan to approve",
  review: "A review",
  question: "A question",
  scope_request: "A task asks for more",
  task_change: "A change of a task",
  escalation: "A task cannot go on",
};

export interface Selection {
  readonly isSelected: boolean;
  readonly toggle: () => void;
}

/** One thing that waits on a person, with what is needed to decide it, and the decision. */
export function EntryCard({
  entry,
  projectName,
  spend,
  selection,
}: {
  readonly entry: Entry;
  /** Left out on the page of the run itself. */
  readonly projectName?: string | undefined;
  /** Usage of its run so far. */
  readonly spend?: Spend | undefined;
  /** Where several may be decided at once. */
  readonly selection?: Selection | undefined;
}) {
  const { start, pending, problem, done } = useAction(
    useCallback(
      async (decision: SentDecision) => {
        await decideEntry(entry, decision);
        return true;
      },
      [entry],
    ),
  );
  const mayDecide = useMayDecide();

  const { project, run_id, kind, about, asked, opened_at, task_id } = entry;
  return (
    <article className="card entry" id={`entry-${entry.id}`} tabIndex={-1} aria-label={about}>
      <p className="quiet">
        {selection !== undefined && mayDecide && (
          <label className="select">
            <input type="checkbox" checked={selection.isSelected} onChange={selection.toggle} />
            <span className="unseen">Select: {about}</span>
          </label>
        )}
        <span className="kind">{KINDS[kind]}</span>
        {projectName !== undefined && (
          <>
            {" "}
            · {projectName} · <Link to={runAddress(project, run_id)}>{asked === "" ? run_id : asked}</Link>
          </>
        )}
        {task_id !== null && (
          <>
            {" "}
            · <Link to={runAddress(project, run_id, "tasks", task_id)}>{task_id}</Link>
          </>
        )}{" "}
        · asked <time dateTime={opened_at}>{formatAge(opened_at, Date.now())}</time>
        {spend !== undefined && ` · ${tellSpend(spend)}`}
      </p>
      <h3>{withoutHashes(about)}</h3>
      <EntryEvidence entry={entry} />
      <Refused problem={problem} />
      {done !== null && <p role="status">✓ Decided. The run goes on.</p>}
      {done === null &&
        (mayDecide ? (
          <EntryChoices entry={entry} disabled={pending} decide={start} />
        ) : (
          <p className="quiet">You may look at this; an approver decides it.</p>
        ))}
    </article>
  );
}

const tellSpend = ({ used, budget }: Spend) =>
  `${formatCost(used.cost_usd)} used${budget === null ? "" : ` of ${formatCost(budget.cost_usd)}`}`;
