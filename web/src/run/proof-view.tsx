import { useCallback } from "react";
import { post, runPath } from "../api.ts";
import { Scroll } from "../parts/scroll.tsx";
import { Empty, Refused } from "../parts/states.tsx";
import type { Proof, RunStatus, Verification } from "../types.ts";
import { useAction } from "../use-action.ts";
import { Heads } from "../parts/heads.tsx";

/** Shows the proof of each result and requirement, and that of the record itself, made when it is asked for. */
export function ProofView({
  project,
  run,
  now: { response, requirements },
}: {
  readonly project: string;
  readonly run: string;
  readonly now: RunStatus;
}) {
  const { start, pending, problem, done } = useAction(
    useCallback(() => post<Verification>(runPath(project, run, "/verification")), [project, run]),
  );
  const proofs = response?.proof ?? [];
  return (
    <>
      {response !== null && <p>{response.message}</p>}
      <h3>What proves the results</h3>
      {proofs.length === 0 && <Empty>No result has been proven yet.</Empty>}
      <div className="cards">
        {proofs.map((proof) => (
          <Proven key={proof.task_id} proof={proof} />
        ))}
      </div>
      {requirements !== null && <Requirements of={requirements} />}
      <h3>The record</h3>
      <p>
        The log is folded again, and its chain, checkpoints, records, commits and plan are checked.{" "}
        <button type="button" className="primary" disabled={pending} onClick={() => start()}>
          {pending ? "Verifying …" : "Verify now"}
        </button>
      </p>
      <Refused problem={problem} />
      {done !== null && <Verified of={done} />}
    </>
  );
}

function Requirements({ of: { results, commit } }: { readonly of: NonNullable<RunStatus["requirements"]> }) {
  return (
    <>
      <h3>Requirements</h3>
      <p className="quiet">
        {commit === null
          ? "They are looked at when all tasks are done."
          : `Looked at on commit ${commit.slice(0, 12)}.`}
      </p>
      <ul className="plain-list">
        {results.map(({ id, holds, told, priority }) => (
          <li key={id}>
            <strong className={holds === true ? "good" : holds === false ? "bad" : "quiet"}>
              {holds === true ? "✓ holds" : holds === false ? "✕ does not hold" : "○ not looked at"}
            </strong>{" "}
            {told} <span className="quiet">({priority})</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Proven({ proof: { task_id, proven_by, accepted, failed_before, unreached } }: { readonly proof: Proof }) {
  return (
    <article className="card">
      <h4>{task_id}</h4>
      <p>{proven_by.length === 0 ? "Nothing proves it." : `Proven by ${proven_by.join("; ")}.`}</p>
      {accepted.map((line) => (
        <p key={line}>‖ {line}</p>
      ))}
      {failed_before.length > 0 && <p>Failed before as well: {failed_before.join("; ")}</p>}
      {unreached.length > 0 && <p>No check touches {unreached.join(", ")}.</p>}
    </article>
  );
}

function Verified({ of: { passed, events, checks, proves, unproven } }: { readonly of: Verification }) {
  return (
    <div role="status">
      <p>
        <strong className={passed ? "good" : "bad"}>
          {passed ? "✓ The record holds." : "✕ The record does not hold."}
        </strong>{" "}
        {events} events.
      </p>
      <Scroll label="Checks of the record">
        <table>
          <Heads of={["Check", "Result", "Detail"]} />
          <tbody>
            {checks.map((check) => (
              <tr key={check.name}>
                <td>{check.name}</td>
                <td>{check.passed === null ? "– not made" : check.passed ? "✓ holds" : "✕ broken"}</td>
                <td>{check.detail}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <h4>What this proves</h4>
      <ul>
        {proves.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <h4>What it cannot prove</h4>
      <ul>
        {unproven.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}
