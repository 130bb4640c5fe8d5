import { type Command, Option } from "commander";
import type { PlanArguments, ResumeArguments } from "../commands/plan.js";
import { EXIT } from "../exit-codes.js";
import { failed } from "../report.js";
import type { Launch } from "./program.js";

interface Options {
  intent?: string;
  adr?: string;
  policy?: string;
  registry?: string[];
  facts?: string;
  memory?: string;
  answers?: string[];
  answer?: string[];
  now?: string;
  out?: string;
  resume?: string;
  stages?: boolean;
}

export function addPlan(program: Command, launch: Launch): void {
  const newPlan = ["intent", "policy", "registry", "facts", "memory", "out", "stages"];
  program
    .command("plan")
    .summary("make a plan and freeze it")
    .description("Make a plan from an intent and freeze it. Nothing is carried out.")
    .argument("[text...]", "a request in words (not built yet)")
    .option("--intent <file>", "the intent, JSON or YAML")
    .option("--policy <file>", "the execution policy; governance/execution-policy.yaml when it is there")
    .option("--registry <dir...>", "more registry directories; later ones override earlier ones")
    .option("--facts <file>", "the fact pack; .coordinator/facts.json when it is there")
    .option("--memory <file>", "the memory pack; .coordinator/memory.json when it is there")
    .option("--answers <file...>", "answers to the plan's questions, one file per round")
    .option("--answer <id=text...>", "one answer, for example q_reviewer_data=ada; only with --resume")
    .option("--now <time>", "when planning takes place, so that the same inputs give the same bytes")
    .option("--out <dir>", "write the plan to this folder")
    .option("--stages", "show the graph after each transform too")
    .addOption(new Option("--resume <dir>", "go on with a plan that waits for answers").conflicts(newPlan))
    .addOption(new Option("--adr <file>", "an architecture decision record (not built yet)").hideHelp())
    .addHelpText("after", EXAMPLE)
    .action((text: string[], options: Options) =>
      launch(async (surroundings) => {
        const { makePlan, resumePlan } = await import("../commands/plan.js");
        if (text.length > 0 || options.adr !== undefined)
          return usage(
            `Planning from ${options.adr === undefined ? "words" : "an ADR"} is not built yet`,
            "Write an intent and use --intent FILE; `coordinator intent check FILE` says what it lacks.",
          );
        const { isDateTime } = await import("../../model/primitives.js");
        if (options.now !== undefined && !isDateTime(options.now))
          return usage(`--now ${options.now} is no date and time`, "Write it like 2026-01-25T11:00:00Z.");
        if (options.resume !== undefined) {
          const answers = options.answers ?? [];
          if (answers.length + (options.answer?.length ?? 0) === 0 || answers.length > 1)
            return usage("A plan is resumed with one round of answers", "Add --answers FILE or --answer ID=TEXT.");
          return resumePlan(resumed(options, options.resume), surroundings);
        }
        if (options.intent === undefined)
          return usage("There is nothing to plan", "Name an intent: coordinator plan --intent FILE");
        if (options.answer !== undefined)
          return usage("--answer goes with --resume", "Use --answers FILE, or write the plan and resume it.");
        return makePlan(made(options, options.intent), surroundings);
      }),
    );
}

function made(options: Options, intent: string): PlanArguments {
  const { policy, registry, facts, memory, answers, now, out, stages } = options;
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
  };
}

function resumed({ answers, answer, now }: Options, folder: string): ResumeArguments {
  return { folder, answersFile: answers?.[0], answers: answer ?? [], now };
}

function usage(message: string, fix: string) {
  return failed(EXIT.invalid, "USAGE", message, { fix });
}

const EXAMPLE = `
Examples:
  $ coordinator plan --intent intent.json                    look at the plan, write nothing
  $ coordinator plan --intent intent.json --out plan         freeze it in the folder plan
  $ coordinator plan --resume plan --answers answers.json    go on when it waits for answers
  $ coordinator plan --resume plan --answer q_reviewer_data=ada`;
