import { type FormEvent, useCallback, useState } from "react";
import { post, runPath } from "../api.ts";
import { formatCost, formatCount } from "../format.ts";
import { Refused } from "../parts/states.tsx";
import { isOver } from "../parts/status.tsx";
import { useMayDecide } from "../session.ts";
import type { Entry, RunStatus } from "../types.ts";
import { useAction } from "../use-action.ts";

const NEARLY = 0.8;
/** The limit of amounts that plans do not limit. */
const UNLIMITED = 1e12;

interface BudgetProps {
  readonly project: string;
  readonly now: RunStatus;
  readonly entries: readonly Entry[];
}

/** Shows what is used, reserved and left. More is allowed here at any time; at the limit the run asks, and the gauge leads there. */
export function Budget({ project, now: { run_id, spend, status, running }, entries }: BudgetProps) {
  const mayDecide = useMayDecide();
  const { reserved, budget } = spend;
  // Use that agents report while they work is booked when their attempt ends; here it counts at once.
  const used = {
    cost_usd: running.reduce((sum, { used: { cost_usd } }) => sum + cost_usd, spend.used.cost_usd),
    tokens: running.reduce((sum, { used: { tokens } }) => sum + tokens, spend.used.tokens),
  };
  if (budget === null || (budget.cost_usd <= 0 && budget.tokens <= 0)) return null;
  const share = Math.max(shareOf(used.cost_usd, budget.cost_usd), shareOf(used.tokens, budget.tokens));
  const asking = entries.find(({ commands }) => commands.some((command) => command.includes("raise_budget")));
  const mayRaise = mayDecide && asking === undefined && !isOver(status);
  return (
    <div className="budget" role="group" aria-label="Budget">
      <meter min={0} max={1} high={NEARLY} value={Math.min(1, share)} aria-label="Share of the budget that is used" />
      <span>
        {Math.round(share * 100)} %: {formatCost(used.cost_usd)}
        {isLimit(budget.cost_usd) && ` of ${formatCost(budget.cost_usd)}`}
        {reserved.cost_usd > 0 && `, ${formatCost(reserved.cost_usd)} reserved`} · {formatCount(used.tokens)}
        {isLimit(budget.tokens) && ` of ${formatCount(budget.tokens)}`} tokens
      </span>
      {asking !== undefined ? (
        <a href={`#entry-${asking.id}`} className="button">
          It asks for more: decide
        </a>
      ) : (
        share >= NEARLY && !isOver(status) && <span className="needs">! At the limit it stops and asks for more.</span>
      )}
      {mayRaise && <AllowMore project={project} run={run_id} budget={budget} />}
    </div>
  );
}

const isLimit = (limit: number) => limit > 0 && limit < UNLIMITED;
const shareOf = (used: number, limit: number) => (isLimit(limit) ? used / limit : 0);

interface MoreProps {
  readonly project: string;
  readonly run: string;
  readonly budget: { readonly cost_usd: number; readonly tokens: number };
}

interface NewLimitProps {
  readonly unit: string;
  readonly now: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for a higher limit; none where there is no limit now. */
function NewLimit({ unit, now, value, onChange }: NewLimitProps) {
  if (!isLimit(now)) return null;
  return (
    <label>
      New limit in {unit}{" "}
      <input
        type="number"
        step="any"
        min={now}
        placeholder={String(now)}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** Contract: the new limits are sent, not what is added: two people who raise it at once do not raise it twice. */
function AllowMore({ project, run, budget }: MoreProps) {
  const [cost, setCost] = useState("");
  const [tokens, setTokens] = useState("");
  const [note, setNote] = useState("");
  const { start, pending, problem, done } = useAction(
    useCallback(
      async (to: object, why: string) => {
        await post(runPath(project, run, "/budget"), { to, ...(why === "" ? {} : { note: why }) });
        setCost("");
        setTokens("");
        setNote("");
        return true;
      },
      [project, run],
    ),
  );
  const to = { ...fieldOf("cost_usd", cost), ...fieldOf("tokens", tokens) };
  const send = (event: FormEvent) => {
    event.preventDefault();
    start(to, note.trim());
  };
  return (
    <details className="allow-more">
      <summary>Allow more</summary>
      <form className="choices" onSubmit={send}>
        <NewLimit unit="US dollars" now={budget.cost_usd} value={cost} onChange={setCost} />
        <NewLimit unit="tokens" now={budget.tokens} value={tokens} onChange={setTokens} />
        <label>
          Why <input value={note} maxLength={1000} onChange={(event) => setNote(event.target.value)} />
        </label>
        <button type="submit" disabled={pending || Object.keys(to).length === 0}>
          Raise the budget <small>attempts that start from now on use it</small>
        </button>
        {done !== null && !pending && problem === null && <span role="status">The budget is raised.</span>}
      </form>
      <Refused problem={problem} />
    </details>
  );
}

const fieldOf = (name: string, value: string) => (value === "" ? {} : { [name]: Number(value) });
