import { runPath } from "../api.ts";
import { formatClock, formatCost, formatCount, formatDuration, shortenHashes, words } from "../format.ts";
import type { LiveEvent } from "../live.ts";
import { Diff } from "../parts/diff.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import type { AttemptDetail, GraphTask, TaskDetail, ToolUse } from "../types.ts";
import { isOfRun, useResource } from "../use-resource.ts";
import { noteOf } from "./task-list.tsx";

/** Everything about one task: what its agent does now, its attempts, what it was given, its changes and what proves them. */
export function TaskPanel({
  project,
  run,
  task,
  line,
  close,
}: {
  readonly project: string;
  readonly run: string;
  readonly task: string;
  readonly line: GraphTask | null;
  readonly close: string;
}) {
  const path = runPath(project, run, `/tasks/${encodeURIComponent(task)}`);
  const isOfThis = (event: LiveEvent) => isOfRun(run, event);
  const detail = useResource<TaskDetail>(path, isOfThis);
  const hasWork = line !== null && line.attempts > 0;
  const diffPath = runPath(project, run, `/diff?task=${encodeURIComponent(task)}`);
  const diff = useResource<{ patch: string; truncated: boolean }>(hasWork ? diffPath : null, isOfThis);
  return (
    <aside className="panel" aria-label={`Task ${task}`}>
      <p className="choices">
        <Link to={close} className="close">
          Close
        </Link>
      </p>
      <h2>{line?.title ?? task}</h2>
      {line !== null && (
        <>
          <p>
            <Status of={line.status} note={noteOf(line)} /> · {line.agent} {line.model}
          </p>
          {line.description !== null && line.description !== line.title && <p className="lines">{line.description}</p>}
          {line.files.length > 0 && (
            <p className="quiet">
              May touch: <code>{line.files.join(" ")}</code>
            </p>
          )}
        </>
      )}
      <Shown of={detail}>
        {({ attempts }) => (
          <>
            {attempts.length === 0 && <Empty>No agent has worked on it yet.</Empty>}
            {attempts.toReversed().map((attempt) => (
              <Attempt key={attempt.attempt} attempt={attempt} />
            ))}
          </>
        )}
      </Shown>
      {hasWork && (
        <>
          <h3>Changes</h3>
          <Shown of={diff}>{({ patch, truncated }) => <Diff patch={patch} truncated={truncated} />}</Shown>
        </>
      )}
    </aside>
  );
}

function Attempt({ attempt }: { readonly attempt: AttemptDetail }) {
  const { agent, started_at, ended_at, outcome, said, usage, verdict, iterations, tool_uses, given } = attempt;
  const ended = ended_at === null ? "under way" : formatDuration(Date.parse(ended_at) - Date.parse(started_at));
  return (
    <section className="attempt-card">
      <h3>
        Attempt {attempt.attempt}{" "}
        <span className="quiet">
          by {agent}, {ended}
        </span>
      </h3>
      <p>
        {outcome !== null && <>Ended as {words(outcome.kind)}. </>}
        {usage !== null &&
          `${formatCount(usage.amounts.tokens)} tokens, ${formatCost(usage.amounts.cost_usd)} (${usage.source}).`}
      </p>
      {verdict !== null && (
        <p>
          <Status of={verdict.verdict} /> {shortenHashes(verdict.evidence)}
        </p>
      )}
      {said !== null && said !== "" && <blockquote>{said}</blockquote>}
      {iterations.length > 0 && (
        <ul className="plain-list">
          {iterations.map((turn) => (
            <li key={turn.iteration}>
              Turn {turn.iteration}: {turn.checks.map(tellCheck).join(", ") || "no checks"};{" "}
              {turn.promised ? "promise given" : "no promise"}; next: {words(turn.next)}
            </li>
          ))}
        </ul>
      )}
      {tool_uses.length > 0 && <ToolUses uses={tool_uses} />}
      {given !== null && (
        <details>
          <summary>What the agent was given</summary>
          <pre>{given.prompt}</pre>
          {given.context.map(({ ref, text }) => (
            <details key={ref}>
              <summary>{ref}</summary>
              <pre>{text}</pre>
            </details>
          ))}
          <p className="quiet">
            {given.withheld.length === 0 ? "No document was withheld." : `Withheld: ${given.withheld.join(", ")}`}
          </p>
        </details>
      )}
    </section>
  );
}

const tellCheck = ({ check, failing, failed_before }: AttemptDetail["iterations"][number]["checks"][number]) =>
  `${check} ${failing === 0 ? "passes" : `${failing} failing`}${failed_before > 0 ? ` (${failed_before} failed before)` : ""}`;

function ToolUses({ uses }: { readonly uses: readonly ToolUse[] }) {
  const refused = uses.filter(({ judgement }) => judgement.decision !== "allow").length;
  return (
    <details open={refused > 0}>
      <summary>
        {uses.length} judgements of tool uses{refused > 0 ? `, ${refused} refused` : ""}
      </summary>
      <ul className="plain-list">
        {uses.map(({ sequence, at, use, judgement }) => (
          <li key={sequence}>
            {formatClock(at)} {use.command ?? use.title}: <strong>{judgement.decision}</strong> ({judgement.rule_id}){" "}
            <span className="quiet">{judgement.reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
