import { type Command, Option } from "commander";
import type { PlanArguments, ResumeArguments } from "../../app/plan/plan.js";
import { EXIT } from "../../app/exit-codes.js";
import { fail } from "../../app/report.js";
import { addRequestOptions, requestOptionsOf, spokenWords, type RequestFlags } from "./request-options.js";
import type { Launch } from "./program.js";
import { questioner } from "../terminal/questioner.js";
import { quoteWords, requestContextOf } from "./run.js";

interface Options extends RequestFlags {
  intent?: string;
  adr?: string;
  issue?: string;
  again?: boolean;
  answers?: string[];
  answer?: string[];
  out?: string;
  resume?: string;
  stages?: boolean;
  learning: boolean;
}

export function addPlan(program: Command, launch: Launch, host: NodeJS.Process): void {
  const newPlan = ["intent", "policy", "registry", "facts", "memory", "out", "stages"];
  const plan = program
    .command("plan")
    .summary("make a plan and freeze it")
    .description("Make a plan from words, a decision record or an intent, and freeze it. Nothing is carried out.")
    .argument("[text...]", "what you want, in words; - reads them from stdin")
    .option("--intent <file>", "the intent, JSON or YAML")
    .option("--policy <file>", "the execution policy; governance/execution-policy.yaml when it is there")
    .option("--registry <dir...>", "more registry directories; later ones override earlier ones")
    .option("--facts <file>", "the fact pack; .coordinator/facts.json when it is there")
    .option("--memory <file>", "the memory pack; .coordinator/memory.json when it is there")
    .option("--no-learning", "leave out what earlier runs taught about estimates")
    .option("--answers <file...>", "answers to the plan's questions, one file per round")
    .option("--answer <id=text...>", "one answer, for example q_reviewer_data=ada; only with --resume")
    .option("--now <time>", "when planning takes place, so that the same inputs give the same bytes")
    .option("--out <dir>", "write the plan to this folder")
    .option("--stages", "show the graph after each transform too")
    .addOption(new Option("--resume <dir>", "resume a plan that waits for answers").conflicts(newPlan))
    .option("--adr <file>", "an accepted decision record")
    .option("--issue <url>", "an issue: the plan is posted there as one comment, and waits for its approval")
    .option("--again", "with --issue: plan it anew");
  addRequestOptions(plan)
    .addHelpText("after", EXAMPLE)
    .action((text: string[], options: Options) =>
      launch(async (context) => {
        const { makePlan, resumePlan } = await import("../../app/plan/plan.js");
        const { isDateTime } = await import("../../model/date-time.js");
        if (options.now !== undefined && !isDateTime(options.now))
          return usage(`--now ${options.now} is not a date and time`, "Write it like 2026-01-25T11:00:00Z.");
        const sources = [text.length > 0, options.adr, options.issue, options.intent, options.resume].filter(Boolean);
        if (sources.length > 1)
          return usage("A plan is made from one thing", "Give words, --adr FILE, --intent FILE or --resume DIR.");
        if (options.issue !== undefined) {
          const { runIssue } = await import("../../app/hosts/run-issue.js");
          const issue = { address: options.issue, again: options.again === true, planOnly: true };
          return runIssue(issue, requestOptionsOf([], options, ""), {}, await requestContextOf(context, host));
        }
        if (text.length > 0 || options.adr !== undefined) {
          const { planOnly } = await import("../../app/request/plan-only.js");
          const again = `coordinator plan ${options.adr === undefined ? quoteWords(text) : `--adr ${options.adr}`} --out DIR`;
          const words = await spokenWords(text, host);
          const asking = { ...requestOptionsOf(words, options, again), out: options.out };
          return planOnly(asking, options.adr, questioner(program.opts(), host), context);
        }
        if (options.resume !== undefined) {
          const answers = options.answers ?? [];
          if (answers.length + (options.answer?.length ?? 0) === 0 || answers.length > 1)
            return usage("A plan is resumed with one round of answers", "Add --answers FILE or --answer ID=TEXT.");
          return resumePlan(resumeArguments(options, options.resume), context);
        }
        if (options.intent === undefined)
          return usage(
            "There is nothing to plan",
            'Say what you want: coordinator plan "what you want"; or name an intent with --intent FILE.',
          );
        if (options.answer !== undefined)
          return usage("--answer goes with --resume", "Use --answers FILE, or write the plan and resume it.");
        return makePlan(planArguments(options, options.intent), context);
      }),
    );
}

function planArguments(options: Options, intent: string): PlanArguments {
  const { policy, registry, facts, memory, answers, now, out, stages, learning, model, sensitivity } = options;
  return {
    intent,
    policy,
    registries: registry ?? [],
    facts,
    memory,
    answers: answers ?? [],
    now,
    out,
    stages: stages === true,
    learning,
    model,
    sensitivity,
  };
}

function resumeArguments({ answers, answer, now }: Options, folder: string): ResumeArguments {
  return { folder, answersFile: answers?.[0], answers: answer ?? [], now };
}

function usage(message: string, fix: string) {
  return fail(EXIT.invalid, "USAGE", message, { fix });
}

const EXAMPLE = `
Examples:
  $ coordinator plan "Add CSV export to the reports page"    what would be done, write nothing
  $ coordinator plan --adr docs/adr/0023-certifications.md --out plan
  $ coordinator plan --intent intent.json                    look at the plan, write nothing
  $ coordinator plan --intent intent.json --out plan         freeze it in the folder plan
  $ coordinator plan --resume plan --answers answers.json    go on when it waits for answers
  $ coordinator plan --resume plan --answer q_reviewer_data=ada`;
