import { type Command, InvalidArgumentError, Option } from "commander";
import { allAmounts } from "./amounts.js";
import type { Amounts } from "../../../model/run.js";
import type { Decision } from "../../../app/decide/decide.js";
import { EXIT } from "../../../app/exit-codes.js";
import { fail } from "../../../app/report.js";
import type { Launch } from "../program.js";
import { BY, waitOption } from "./decision-options.js";
import { addBudget } from "./budget.js";

const ORDERS = ["retry", "resume", "give_up", "raise_budget", "waive", "recheck", "widen", "skip"] as const;

interface Common {
  by?: string;
  run?: string;
  wait: number;
}

interface AnswerOptions extends Common {
  order?: (typeof ORDERS)[number];
  agent?: string;
  add?: Amounts;
  note?: string;
  test?: string[];
  as?: string;
  notApplicable?: boolean;
  write?: string[];
  command?: string[];
  host?: string[];
}

/** The commands by which people decide. */
export function addDecisions(program: Command, launch: Launch): void {
  const answer = program
    .command("answer")
    .summary("answer a question or an escalation")
    .description("Answer a question in words, or say what is to be done about an escalation.")
    .argument("<id>", ID)
    .argument("[text...]", "the answer to a question")
    .addOption(new Option("--order <what>", "what to do about an escalation").choices(ORDERS).argParser(orderNamed))
    .option("--agent <agent>", "with retry: another agent")
    .addOption(new Option("--add <amounts>", "with raise_budget, like tokens=50000,cost_usd=5").argParser(allAmounts))
    .option("--note <text>", "with retry and widen: what to do differently; with waive, recheck and skip: why")
    .option("--test <name...>", "with waive: these tests and nothing else")
    .option("--not-applicable", "with waive: the checks that prove nothing do not count for this run")
    .option("--write <pattern...>", "with widen: files it may write; what it was refused when nothing is named")
    .option("--command <command...>", "with widen: commands it may run")
    .option("--host <host...>", "with widen: hosts it may reach")
    .option("--as <role>", "with waive: the reviewer you are, where a guardrail asks for one");
  common(answer)
    .addHelpText("after", ANSWER)
    .action((id: string, words: string[], options: AnswerOptions) =>
      launch(async (context) => {
        const decision = decisionOf(words, options);
        if ("problem" in decision) return fail(EXIT.invalid, "USAGE", decision.problem, { fix: decision.fix });
        const { decideEntry } = await import("../../../app/decide/decide-entry.js");
        const { by, run, wait, as } = options;
        return decideEntry({ id, decision, by, as, run, waitMs: wait }, context);
      }),
    );
  const approve = program
    .command("approve")
    .summary("approve a plan, a review, a wider scope or a change of a task")
    .description(
      "Approve what waits: a plan, a review, a wider scope, a change of a task. A review is its reviewers' to approve.",
    )
    .argument("<id>", ID)
    .option("--as <role>", "the reviewer you are; your name when absent");
  common(approve)
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator approve plan:plan_1a2b\n  $ coordinator approve node_review_a --as grace",
    )
    .action((id: string, { as, by, run, wait }: Common & { as?: string }) =>
      launch(async (context) => {
        const { decideEntry } = await import("../../../app/decide/decide-entry.js");
        return decideEntry({ id, decision: { kind: "approve" }, by, as, run, waitMs: wait }, context);
      }),
    );
  const reject = program
    .command("reject")
    .summary("reject a plan, a review, a wider scope or a change of a task")
    .description(
      "Reject a plan, which ends its run, a review, which fails the tasks behind it, a wider scope, or a change of a task.",
    )
    .argument("<id>", ID)
    .requiredOption("--reason <text>", "why")
    .option("--as <role>", "the reviewer you are; your name when absent");
  common(reject)
    .addHelpText("after", '\nExample:\n  $ coordinator reject plan:plan_1a2b --reason "too much at once"')
    .action((id: string, { as, by, run, wait, reason }: Common & { as?: string; reason: string }) =>
      launch(async (context) => {
        const { decideEntry } = await import("../../../app/decide/decide-entry.js");
        return decideEntry({ id, decision: { kind: "reject", reason }, by, as, run, waitMs: wait }, context);
      }),
    );
  addBudget(program, launch);
  program
    .command("cancel")
    .summary("end a run")
    .description("End a run. What its agents are doing is stopped; what they finished is kept.")
    .argument("<run>", "the run's id, the beginning of it, or last")
    .option("--reason <text>", "why", "cancelled by a person")
    .option("--by <name>", BY)
    .addOption(waitOption())
    .addHelpText("after", '\nExample:\n  $ coordinator cancel last --reason "not needed any more"')
    .action((run: string, { reason, by, wait }: Common & { reason: string }) =>
      launch(async (context) => {
        const { cancelRun } = await import("../../../app/decide/decide-entry.js");
        return cancelRun({ run, reason, by, waitMs: wait }, context);
      }),
    );
}

const ID = "the id, or the beginning of it, as coordinator inbox shows it";

function common(command: Command): Command {
  return command
    .option("--by <name>", BY)
    .option("--run <run>", "the run, where several have the same id open")
    .addOption(waitOption());
}

type Answered =
  | { readonly kind: "text"; readonly text: string }
  | Extract<Decision, { kind: "order" | "waive" | "widen" }>
  | { readonly problem: string; readonly fix: string };

/** The options of each order. An option that is not listed for an order is refused with it. */
const GOES_WITH: Readonly<Record<(typeof ORDERS)[number], readonly (keyof AnswerOptions)[]>> = {
  retry: ["agent", "note"],
  resume: [],
  give_up: [],
  raise_budget: ["add"],
  waive: ["test", "as", "note", "notApplicable"],
  recheck: ["note"],
  widen: ["write", "command", "host", "note"],
  skip: ["note"],
};
const OPTIONS = ["agent", "add", "note", "test", "as", "notApplicable", "write", "command", "host"] as const;
const flag = (name: (typeof OPTIONS)[number]) => (name === "notApplicable" ? "--not-applicable" : `--${name}`);

function decisionOf(words: readonly string[], options: AnswerOptions): Answered {
  const text = words.join(" ").trim();
  const { order } = options;
  const given = OPTIONS.filter((name) => options[name] !== undefined);
  if (order === undefined) {
    if (given.length > 0)
      return {
        problem: `${given.map(flag).join(", ")} ${given.length === 1 ? "goes" : "go"} with --order`,
        fix: "Add --order retry, or another order that the inbox names.",
      };
    return text === ""
      ? { problem: "There is no answer", fix: "Write it behind the id, or --order what is to be done." }
      : { kind: "text", text };
  }
  if (text !== "") return { problem: "An escalation is answered by an order, without words", fix: "Use --note TEXT." };
  const strange = given.find((name) => !GOES_WITH[order].includes(name));
  if (strange !== undefined) {
    const fitting = ORDERS.filter((each) => GOES_WITH[each].includes(strange));
    return {
      problem: `${flag(strange)} does not go with ${order}`,
      fix: `It goes with --order ${fitting.join(", ")}.`,
    };
  }
  return decisionOfOrder(order, options);
}

function decisionOfOrder(order: (typeof ORDERS)[number], options: AnswerOptions): Answered {
  const { agent, add, note, test, as, notApplicable, write, command, host } = options;
  const why = note === undefined ? {} : { note };
  switch (order) {
    case "waive":
      return { kind: "waive", tests: test ?? [], notApplicable: notApplicable ?? false, as, note };
    case "widen":
      return { kind: "widen", addition: { write: write ?? [], commands: command ?? [], network: host ?? [] }, note };
    case "retry":
      return { kind: "order", order: { action: order, ...(agent === undefined ? {} : { agent }), ...why } };
    case "recheck":
      return { kind: "order", order: { action: order, ...why } };
    case "skip":
      return note === undefined
        ? { problem: "skip needs a reason, which stays in the log", fix: 'Add --note "why it is not needed".' }
        : { kind: "order", order: { action: order, reason: note } };
    case "raise_budget":
      return add === undefined
        ? { problem: "raise_budget needs to know by how much", fix: "Add --add tokens=50000,cost_usd=5." }
        : { kind: "order", order: { action: order, add } };
    case "resume":
    case "give_up":
      return { kind: "order", order: { action: order } };
  }
}

/** `lift` is what `waive` was called at first: people and scripts may still say so. */
function orderNamed(value: string): (typeof ORDERS)[number] {
  const order = value === "lift" ? "waive" : ORDERS.find((each) => each === value);
  if (order === undefined) throw new InvalidArgumentError(`Allowed choices are ${ORDERS.join(", ")}.`);
  return order;
}

const ANSWER = `
Examples:
  $ coordinator answer q_export#1 "semicolons"
  $ coordinator answer esc_export-1 --order retry --agent codex --note "use the existing writer"
  $ coordinator answer esc_budget --order raise_budget --add tokens=50000,cost_usd=5
  $ coordinator answer esc_export-1 --order waive --note "the old format is gone"
  $ coordinator answer esc_export-1 --order widen --write "src/format/**"

The orders:
  retry         another attempt
  widen         allow what was refused, or what --write, --command and --host name, and go on
  recheck       judge the same result once more, after you mended a check or its setup
  waive         accept the result without what the escalation names: missing tests, guardrails, refused uses, proof.
                It is judged again. With --not-applicable: the checks that prove nothing do not count for this run
  skip          the task is not needed; what builds on it goes on
  raise_budget  allow more
  resume        go on as before
  give_up       end the task, or the run where the escalation is about all of it`;
