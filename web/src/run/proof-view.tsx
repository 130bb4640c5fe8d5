import { useState } from "react";
import { asProblem, post, type Problem, runPath } from "../api.ts";
import { Empty, Trouble } from "../parts/states.tsx";
import type { Proof, RunStatus, Verification } from "../types.ts";

/** What proves each result, and the proof of the record itself, made when it is asked for. */
export function ProofView({
  project,
  run,
  now,
}: {
  readonly project: string;
  readonly run: string;
  readonly now: RunStatus;
}) {
  const [verification, setVerification] = useState<Verification | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isRunning, setRunning] = useState(false);
  async function verify(): Promise<void> {
    setRunning(true);
    setProblem(null);
    try {
      setVerification(await post<Verification>(runPath(project, run, "/verification")));
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setRunning(false);
    }
  }
  const proofs = now.response?.proof ?? [];
  return (
    <>
      {now.response !== null && <p>{now.response.message}</p>}
      <h3>What proves the results</h3>
      {proofs.length === 0 && <Empty>No result has been proven yet.</Empty>}
      <div className="cards">
        {proofs.map((proof) => (
          <Proven key={proof.task_id} proof={proof} />
        ))}
      </div>
      <h3>The record</h3>
      <p>
        The log is folded again, and its chain, checkpoints, records, commits and plan are checked.{" "}
        <button type="button" className="primary" disabled={isRunning} onClick={() => void verify()}>
          {isRunning ? "Verifying …" : "Verify now"}
        </button>
      </p>
      {problem !== null && <Trouble problem={problem} />}
      {verification !== null && <Verified of={verification} />}
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
      <table>
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Result</th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
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
