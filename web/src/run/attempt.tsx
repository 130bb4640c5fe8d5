import { formatClock, formatCost, formatCount, formatDuration, plural, words } from "../format.ts";
import { Verdict } from "../parts/verdict.tsx";
import type { AttemptDetail, ToolUse, VerdictReport } from "../types.ts";

/** One attempt: how it ended, what it cost, its checks against the baseline, each use of a tool, what it was given. */
export function Attempt({ attempt, isLast }: { readonly attempt: AttemptDetail; readonly isLast: boolean }) {
  const { agent, started_at, ended_at, outcome, said, usage, iterations, tool_uses, given, refused, records } = attempt;
  const ended = ended_at === null ? "under way" : formatDuration(Date.parse(ended_at) - Date.parse(started_at));
  const report = records.verdict as VerdictReport | null;
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
      {said !== null && said !== "" && (
        <blockquote>
          <p className="quiet">The agent said last:</p>
          {said}
        </blockquote>
      )}
      {refused.length > 0 && (
        <ul>
          {refused.map(({ what, reason }) => (
            <li key={what}>
              Refused <code>{what}</code>: {reason}
            </li>
          ))}
        </ul>
      )}
      {report !== null &&
        (isLast ? (
          <Verdict of={report} />
        ) : (
          <details>
            <summary>Verdict {report.verdict}</summary>
            <Verdict of={report} />
          </details>
        ))}
      {iterations.length > 0 && (
        <ul className="plain-list">
          {iterations.map((turn) => (
            <li key={turn.iteration}>
              Turn {turn.iteration}: {turn.checks.map(tellCheck).join(", ") || "no checks"};{" "}
              {turn.promised ? "said it is done" : "did not say it is done"}; next: {words(turn.next)}
            </li>
          ))}
        </ul>
      )}
      {tool_uses.length > 0 && <ToolUses uses={tool_uses} />}
      {given !== null && <Given given={given} />}
    </section>
  );
}

const tellCheck = ({ check, failing, failed_before }: AttemptDetail["iterations"][number]["checks"][number]) =>
  `${check} ${failing === 0 ? "passes" : `${failing} failing`}${failed_before > 0 ? ` (${failed_before} failed before)` : ""}`;

const JUDGED = {
  allow: "✓ allowed",
  deny: "✕ denied",
  ask: "‖ asked a person",
  violation: "✕ violation",
  safety: "✕ safety",
};

/** Contract: the newest first, since that is what goes on. */
function ToolUses({ uses }: { readonly uses: readonly ToolUse[] }) {
  const refused = uses.filter(({ judgement }) => judgement.decision !== "allow").length;
  return (
    <details open={refused > 0}>
      <summary>
        {plural(uses.length, "use")} of tools, each judged{refused > 0 ? `, ${refused} refused` : ""}
      </summary>
      <ul className="plain-list">
        {uses.toReversed().map(({ sequence, at, use, judgement }) => (
          <li key={sequence}>
            {formatClock(at)} <code>{use.command ?? use.title}</code>: <strong>{JUDGED[judgement.decision]}</strong> by{" "}
            <code>{judgement.rule_id}</code> <span className="quiet">{judgement.reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Given({
  given: { prompt, context, withheld, hidden, checks },
}: {
  readonly given: NonNullable<AttemptDetail["given"]>;
}) {
  return (
    <details>
      <summary>
        What the agent was given: its prompt, {plural(context.length, "document")};{" "}
        {withheld.length === 0 ? "nothing withheld" : `${withheld.length} withheld`}
      </summary>
      <h4>Prompt</h4>
      <pre>{prompt}</pre>
      {context.length > 0 && <h4>Context given</h4>}
      {context.map(({ ref, text }) => (
        <details key={ref}>
          <summary>{ref}</summary>
          <pre>{text}</pre>
        </details>
      ))}
      <h4>Withheld</h4>
      {withheld.length === 0 ? (
        <p className="quiet">No document was withheld.</p>
      ) : (
        <ul>
          {withheld.map((ref) => (
            <li key={ref}>
              <code>{ref}</code>
            </li>
          ))}
        </ul>
      )}
      {hidden.length > 0 && (
        <p className="quiet">
          Not in its workspace: <code>{hidden.join(" ")}</code>
        </p>
      )}
      {checks.length > 0 && <p className="quiet">Checks it could run: {checks.join(", ")}</p>}
    </details>
  );
}
