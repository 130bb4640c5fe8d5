import { useState } from "react";
import { asProblem, post, type Problem, runPath } from "../api.ts";
import { formatAge, shortenHashes, words } from "../format.ts";
import { runAddress } from "../router.ts";
import { useMayDecide } from "../session.ts";
import type { Entry } from "../types.ts";
import { EntryEvidence } from "./entry-evidence.tsx";
import { EntryChoices } from "./entry-choices.tsx";
import { Link } from "./link.tsx";

export type SentDecision = Readonly<Record<string, unknown>> & { readonly kind: string };

/** One thing that waits on a person, with what is needed to decide it, and the decision. */
export function EntryCard({
  entry,
  projectName,
}: {
  readonly entry: Entry;
  /** Left out on the page of the run itself. */
  readonly projectName?: string | undefined;
}) {
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [taken, setTaken] = useState<string | null>(null);
  const mayDecide = useMayDecide();

  async function decide(decision: SentDecision): Promise<void> {
    setSending(true);
    setProblem(null);
    try {
      const [as] = entry.reviewers;
      await post(runPath(entry.project, entry.run_id, "/decisions"), {
        entry_id: entry.id,
        decision,
        ...(as === undefined ? {} : { as }),
      });
      setTaken("Decided. The run goes on.");
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setSending(false);
    }
  }

  const { project, run_id, kind, about, asked, opened_at, task_id } = entry;
  return (
    <article className="card entry" aria-label={about}>
      <p className="quiet">
        <span className="kind">{words(kind)}</span>
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
      </p>
      <h3>{shortenHashes(about)}</h3>
      <EntryEvidence entry={entry} />
      {taken !== null && <p role="status">{taken}</p>}
      {problem !== null && (
        <div className="trouble" role="alert">
          <p>{problem.message}</p>
          {problem.fix !== null && <p>{problem.fix}</p>}
        </div>
      )}
      {taken === null &&
        (mayDecide ? (
          <EntryChoices entry={entry} disabled={sending} decide={(decision) => void decide(decision)} />
        ) : (
          <p className="quiet">You may look at this; an approver decides it.</p>
        ))}
    </article>
  );
}
