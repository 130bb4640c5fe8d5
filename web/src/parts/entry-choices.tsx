import { type FormEvent, useId, useState } from "react";
import type { SentDecision } from "../decide.ts";
import type { Entry } from "../types.ts";

interface ChoiceProps {
  readonly entry: Entry;
  readonly disabled: boolean;
  readonly decide: (decision: SentDecision) => void;
}

/** The answers an entry takes. Which orders an escalation takes follows from the commands that its inbox entry names. */
export function EntryChoices(props: ChoiceProps) {
  if (props.entry.kind === "question") return <Answer {...props} />;
  if (props.entry.kind === "escalation") return <Orders {...props} />;
  return <ApproveOrReject {...props} />;
}

/** The consequences of yes and of no, shown before the choice. */
const FOLLOWS: Readonly<Partial<Record<Entry["kind"], readonly [yes: string, no: string]>>> = {
  plan_approval: ["the plan is carried out", "nothing is carried out, and the run ends"],
  review: ["the tasks that wait for it start", "they are not done"],
  scope_request: ["the task may do this, and goes on", "it goes on without"],
  task_change: ["the change is made", "the task stays as it is"],
};

function ApproveOrReject({ entry, disabled, decide }: ChoiceProps) {
  const [yes, no] = FOLLOWS[entry.kind] ?? ["", ""];
  const [reason, setReason] = useState("");
  const id = useId();
  return (
    <div className="choices">
      <button type="button" className="primary" disabled={disabled} onClick={() => decide({ kind: "approve" })}>
        Approve <small>{yes}</small>
      </button>
      <label htmlFor={id}>Reason to reject</label>
      <input id={id} value={reason} onChange={(event) => setReason(event.target.value)} />
      <button
        type="button"
        disabled={disabled || reason.trim() === ""}
        onClick={() => decide({ kind: "reject", reason: reason.trim() })}
      >
        Reject <small>{no}</small>
      </button>
    </div>
  );
}

function Answer({ entry, disabled, decide }: ChoiceProps) {
  const [text, setText] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    decide({ kind: "text", text: text.trim() });
  };
  return (
    <form className="choices" onSubmit={send}>
      {entry.options.map((option) => (
        <button key={option} type="button" disabled={disabled} onClick={() => decide({ kind: "text", text: option })}>
          {option}
        </button>
      ))}
      <label>
        Answer <input value={text} onChange={(event) => setText(event.target.value)} required />
      </label>
      <button type="submit" className="primary" disabled={disabled || text.trim() === ""}>
        Answer
      </button>
    </form>
  );
}

/** The effect of each order, shown before it is given. */
const ORDERS: Readonly<Record<string, { readonly label: string; readonly does: string }>> = {
  retry: { label: "Try again", does: "another attempt, with your note" },
  resume: { label: "Resume", does: "the run goes on" },
  recheck: { label: "Check again", does: "the same result is judged once more" },
  waive: { label: "Accept as it is", does: "this result is accepted without what holds it" },
  widen: { label: "Widen the scope", does: "what was refused is allowed, and the task goes on" },
  skip: { label: "Skip the task", does: "it is not done, and what builds on it goes on" },
  give_up: { label: "Give up", does: "the task fails, and so does what builds on it" },
  raise_budget: { label: "Allow more", does: "the budget grows, and the run goes on" },
};

function Orders({ entry, disabled, decide }: ChoiceProps) {
  const [note, setNote] = useState("");
  const [tokens, setTokens] = useState(50_000);
  const [cost, setCost] = useState(1);
  const id = useId();
  const said = note.trim();
  const orders = ordersOf(entry.commands);
  return (
    <div className="choices">
      <label htmlFor={id}>Note</label>
      <input id={id} value={note} onChange={(event) => setNote(event.target.value)} />
      {orders.includes("raise_budget") && (
        <>
          <label>
            Tokens more{" "}
            <input
              type="number"
              min={0}
              step={10_000}
              value={tokens}
              onChange={(e) => setTokens(e.target.valueAsNumber)}
            />
          </label>
          <label>
            US dollars more{" "}
            <input type="number" min={0} step={0.5} value={cost} onChange={(e) => setCost(e.target.valueAsNumber)} />
          </label>
        </>
      )}
      {orders.map((name) => {
        const order = ORDERS[name];
        if (order === undefined) return null;
        return (
          <button
            key={name}
            type="button"
            title={order.does}
            disabled={disabled || (name === "skip" && said === "")}
            onClick={() => decide(decisionOf(name, said, { tokens: tokens || 0, cost_usd: cost || 0 }))}
          >
            {order.label} <small>{order.does}</small>
          </button>
        );
      })}
    </div>
  );
}

/** The orders that the commands of an entry name, in their order: the likeliest first. */
function ordersOf(commands: readonly string[]): string[] {
  const named = commands.flatMap((command) => /--order (\w+)/.exec(command)?.[1] ?? []);
  return [...new Set(named)];
}

function decisionOf(
  name: string,
  note: string,
  more: { readonly tokens: number; readonly cost_usd: number },
): SentDecision {
  const said = note === "" ? {} : { note };
  if (name === "waive" || name === "widen") return { kind: name, ...said };
  if (name === "skip") return { kind: "order", order: { action: "skip", reason: note } };
  if (name === "raise_budget")
    return { kind: "order", order: { action: name, add: { ...more, minutes: 0, files: 0, commits: 0, api_calls: 0 } } };
  const takesNote = name === "retry" || name === "recheck";
  return { kind: "order", order: { action: name, ...(takesNote ? said : {}) } };
}
