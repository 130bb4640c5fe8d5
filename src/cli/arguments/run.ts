import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunArguments } from "../../app/run/run-arguments.js";
import type { Launch } from "./program.js";
import type { Approval, RequestContext } from "../../app/request/plan-and-run.js";
import { EXIT } from "../../app/exit-codes.js";
import { fail } from "../../app/report.js";
import type { CommandContext } from "../../app/command-context.js";
import { addRequestOptions, requestOptionsOf, spokenWords, type RequestFlags } from "./request-options.js";
import { confirmation } from "../terminal/confirmation.js";
import { questioner } from "../terminal/questioner.js";
import { TRUST_QUESTION } from "./trust.js";
import { watcherFor } from "../terminal/watcher.js";

/** The command that carries out a plan. */
export function addRun(program: Command, launch: Launch, host: NodeJS.Process): void {
  const run = program
    .command("run")
    .summary("carry out what is asked for, an ADR, or a frozen plan")
    .argument("[text...]", "what you want, in words; - reads them from stdin")
    .description(
      "Plan what is asked for in words or by a decision record, have the plan approved, and carry it out; or carry out " +
        "a plan that was frozen before: with agents in parallel, each in a workspace of its own, and prove every result. Your " +
        "branches and files are not touched: the work is on refs/coord/RUN/head until you merge it.",
    )
    .option("--adr <file>", "carry out an accepted decision record")
    .option("--issue <url>", "plan an issue, tell the plan there, and carry it out when it is approved there")
    .option("--queue [file]", "carry out the open tasks of a work queue; the project's own when no file is named")
    .option("--request <file>", "a user request as JSON or YAML, - is stdin; it ends in the response to it")
    .option("--create", "with --request: make the folder that context.project_path names for a new project")
    .option(
      "--again",
      "with --adr: carry out a record once more that was carried out unchanged; with --issue: plan it anew",
    )
    .option("--plan <dir>", "the folder of a frozen plan; running it is your approval of it")
    .option("--brief <file>", "what was asked, its Intent Spec and the documents its agents get; with --plan")
    .option("--resume <run>", "resume a run or a request: its id or the beginning of it")
    .option("--last", "resume the newest run, or the request that waits since");
  addRequestOptions(addRunOptions(run))
    .addHelpText("after", EXAMPLES)
    .action((text: string[], options: RunOptions) =>
      launch(async (context) => {
        const { trustHere } = await import("../../app/project/trust-here.js");
        const trusting = confirmation(program.opts(), host, TRUST_QUESTION, false);
        await trustHere(context.project, trusting);
        const { agreeHere } = await import("../../app/decide/agree.js");
        await agreeHere(context.project, options.agent, confirmation(program.opts(), host, "Let it have your login?"));
        // A brief belongs to a beginning, and anyone who carries out a plan says so.
        const goesOn = options.brief === undefined && (options.resume !== undefined || options.last === true);
        const fromFile = options.adr ?? options.request ?? options.queue ?? options.issue;
        if (goesOn && text.length === 0 && fromFile === undefined) {
          if (options.plan !== undefined || (options.resume !== undefined && options.last === true)) return oneThing();
          const { resumeWork } = await import("../../app/run/resume.js");
          const mayCommit = program.opts<{ yes?: boolean }>().yes === true;
          const around = await requestContextOf(context, host);
          return resumeWork({ ...runArguments(options), mayCommit }, approvalOf(program, host), around);
        }
        if (text.length === 0 && fromFile === undefined) {
          const { carryOutHere } = await import("../../app/run/run-here.js");
          const mayCommit = program.opts<{ yes?: boolean }>().yes === true;
          const { answer } = approvalOf(program, host);
          return carryOutHere({ ...runArguments(options), mayCommit }, answer, await requestContextOf(context, host));
        }
        const wanted = [
          text.length > 0,
          options.adr,
          options.request,
          options.queue,
          options.issue,
          options.plan,
          options.resume,
          options.last,
        ].filter(Boolean);
        if (wanted.length > 1) return oneThing();
        const around = await requestContextOf(context, host);
        const approval = approvalOf(program, host);
        const asking = requestOptionsOf(await spokenWords(text, host), options, `coordinator run ${quoteWords(text)}`);
        if (options.issue !== undefined) {
          const { runIssue } = await import("../../app/hosts/run-issue.js");
          const issue = { address: options.issue, again: options.again === true, planOnly: false };
          return runIssue(issue, asking, runArguments(options), around);
        }
        if (options.adr !== undefined) {
          const { runAdr } = await import("../../app/adr/adr-approve.js");
          return runAdr({ file: options.adr, approve: false }, asking, runArguments(options), approval, around);
        }
        if (options.queue !== undefined) {
          const { runQueue } = await import("../../app/run/queue/run-queue.js");
          const named = options.queue === true ? null : options.queue;
          const again = `coordinator run --queue${named === null ? "" : ` ${named}`}`;
          return runQueue(named, { ...asking, again }, runArguments(options), approval, around);
        }
        if (options.request !== undefined) {
          const { readRequest } = await import("../../app/request/read-request.js");
          const { runRequest } = await import("../../app/request/run-words.js");
          const { request } = options;
          const again = `coordinator run --request ${request === "-" ? "- < request.json" : request}`;
          const creating = {
            given: options.create === true || approval.given,
            ask: confirmation(program.opts(), host, "Create it?"),
          };
          const given = await readRequest(request, context.cwd, host.stdin);
          return runRequest(given, { ...asking, again }, runArguments(options), approval, {
            ...around,
            creating,
          });
        }
        const { runFromWords } = await import("../../app/request/run-words.js");
        return runFromWords(asking, runArguments(options), approval, around);
      }),
    );
}

export type RunOptions = RunArguments &
  RequestFlags & { adr?: string; request?: string; create?: boolean; queue?: string | true; issue?: string };

/** `--request` names a file to the person who asks, and a record to anyone who begins a run. */
function runArguments({ request: _, create: __, queue: ___, issue: ____, ...options }: RunOptions): RunArguments {
  return options;
}

function oneThing() {
  return fail(
    EXIT.invalid,
    "USAGE",
    "Say one thing to carry out: words, --adr, --queue, --request, --plan, --resume or --last",
    {
      fix: 'coordinator run "what you want"',
    },
  );
}

/** More than anybody types, or wants to have on the screen once more. */
const MOST_TYPED = 1000;

/** Words as they are typed again. */
export function quoteWords(words: readonly string[]): string {
  // Words from stdin are not there a second time.
  if (words.join(" ").length > MOST_TYPED || (words.length === 1 && words[0] === "-")) return "- < FILE-WITH-THE-WORDS";
  return `"${words
    .join(" ")
    .trim()
    .replaceAll(/["$`\\]/g, String.raw`\$&`)}"`;
}

/** Builds the context of a run beside its arguments. */
export async function requestContextOf(context: CommandContext, host: NodeJS.Process): Promise<RequestContext> {
  const interrupted = interruption(host, context);
  return { context, watcher: await watcherFor(host, interrupted), interrupted };
}

/** `--yes` approves beforehand; a person at a terminal is asked; otherwise the run waits. */
export function approvalOf(program: Command, host: NodeJS.Process): Approval {
  const globals = program.opts<{ yes?: boolean; json?: boolean; input?: boolean }>();
  const ask = confirmation(globals, host, "Carry out this plan?");
  return { given: globals.yes === true, ask, answer: questioner(globals, host), columns: host.stderr.columns };
}

/** Adds the options of carrying out a run, for all commands that begin one. */
export function addRunOptions(command: Command): Command {
  return command
    .option("--agent <name>", "who plays every builder of this run")
    .addOption(new Option("--max-concurrent <n>", "tasks at once").argParser(parsePositive))
    .addOption(new Option("--schedule <how>", "when a task may start").choices(["dataflow", "levels"]))
    .addOption(
      new Option("--coordinator-mode <when>", "when an agent reviews the work of a level").choices([
        "conflicts",
        "always",
        "off",
      ]),
    )
    .option("--unsafe-no-sandbox", "go on where there is no sandbox; for this run only, and it is logged");
}

/** The first Ctrl-C stops cleanly, the second at once: the log makes both safe. */
function interruption(host: NodeJS.Process, { server }: CommandContext): AbortSignal {
  const stop = new AbortController();
  host.removeAllListeners("SIGINT");
  // Anyone who ends it without a terminal wants the same.
  for (const ending of ["SIGINT", "SIGTERM"] as const) host.on(ending, () => stopNow());
  const stopNow = () => {
    if (stop.signal.aborted) host.exit(130);
    if (server?.following == null)
      host.stderr.write(
        "Stopping. What runs is ended and its work is kept. Ctrl-C again ends at once; nothing is lost.\n",
      );
    stop.abort();
  };
  return stop.signal;
}

function parsePositive(value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new InvalidArgumentError("It must be a number from 1 to 9999.");
  return Number(value);
}

const EXAMPLES = `
Examples:
  $ coordinator run "Add CSV export to the reports page"        plan, approve, build, prove
  $ coordinator run "Fix the crash in src/total.mjs" --yes      without being asked
  $ coordinator run --adr docs/adr/0023-certifications.md       what an accepted record asks for
  $ coordinator run --queue                                     the open tasks of tasks/work_queue.json
  $ coordinator run --request request.json --json  a program asks, and reads the response from the last line
  $ coordinator run --request new.json --create    a new project, in the folder that the request names
  $ coordinator run --plan plan                    with the agents of coordinator.yaml
  $ coordinator run --plan plan --agent scripted   with one agent for everything
  $ coordinator run --last                         resume the newest run

Exit codes: 0 completed, 1 failed, 3 waits on a person, 4 refused, 130 interrupted; a run that stopped goes on with --resume.`;
