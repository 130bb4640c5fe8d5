import { oneLine } from "../../foundation/text/one-line.js";
import { removeUnseen, USUAL_WIDTH } from "../views/human/screen.js";
import { Command, Option } from "commander";
import { VERSION } from "../../version.js";
import type { Finished } from "../../app/report.js";
import type { CommandContext } from "../../app/command-context.js";
import { addAdr } from "./adr.js";
import { addDecisions } from "./decide/decisions.js";
import { changeDirectory } from "./change-directory.js";
import { addClean } from "./clean.js";
import { addMigrate } from "./migrate.js";
import { addCompletion } from "./completion.js";
import { addDoctor } from "./doctor.js";
import { addExplain } from "./explain.js";
import { addFacts } from "./facts.js";
import { addHosts } from "./hosts/add-hosts.js";
import { addInit } from "./init.js";
import { addIntake } from "./intake.js";
import { addIntent } from "./intent.js";
import { addMcp } from "./serve/mcp.js";
import { addMemory } from "./memory.js";
import { addMerge } from "./merge.js";
import { addPermission } from "./serve/permission.js";
import { addPlan } from "./plan.js";
import { addRegistry } from "./registry.js";
import { addRoute } from "./route.js";
import { addRun } from "./run.js";
import { addAnchor, addRuns, addTapes } from "./runs.js";
import { addProjects, addServe, addTokens } from "./serve/serve.js";
import { addStats } from "./stats.js";
import { addHandoff, addTasks } from "./tasks.js";
import { addTrust } from "./trust.js";
import { addVerify } from "./verify.js";
import { addWorkers } from "./serve/workers.js";
import { guardCommand } from "../../app/project/enter-project.js";
import { openProject, type Project } from "../../app/project/project.js";
import { commandPath } from "./command-path.js";

/** How a command's declaration hands over: it imports the command, runs it and passes on what it found. */
export type Launch = (command: (context: CommandContext) => Promise<Finished>) => Promise<void>;

/** The words of the command line. Contract: parsing throws CommanderError instead of ending the process. */
export function buildProgram(host: NodeJS.Process, done: (finished: Finished) => void): Command {
  const program = new Command("coordinator");
  let called = "";
  program.hook("preAction", (_, acting) => {
    called = commandPath(acting);
  });
  const launch: Launch = async (command) => {
    const { cwd, json = false, yes = false } = program.opts<{ cwd?: string; json?: boolean; yes?: boolean }>();
    if (cwd !== undefined) changeDirectory(host, cwd, "--cwd");
    const project = openProject({ cwd: host.cwd(), environment: host.env });
    await guardCommand(called, project, yes);
    done(await command(await context(host, project, json, yes)));
  };
  program
    .description("The control plane for coding agents: plans decided by rules, frozen, and proven.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .option("--json", "print one JSON document instead of text")
    .option("--no-input", "never ask anything; nothing asks without a terminal anyway")
    .option("--yes", "take what would be asked for as confirmed")
    .addOption(new Option("--color <when>", "colour the text").choices(["auto", "always", "never"]).default("auto"))
    .option("--cwd <dir>", "work in this directory")
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError(true)
    .exitOverride()
    .addHelpText("after", EXAMPLE);
  program.commandsGroup("Begin:");
  addInit(program, launch, host);
  addDoctor(program, launch, host);
  addTrust(program, launch, host);
  program.commandsGroup("Requests:");
  addIntake(program, launch, host);
  addRoute(program, launch, host);
  addAdr(program, launch, host);
  program.commandsGroup("Plan:");
  addPlan(program, launch, host);
  addVerify(program, launch, host);
  addExplain(program, launch);
  program.commandsGroup("Run:");
  addRun(program, launch, host);
  addRuns(program, launch, host);
  addDecisions(program, launch);
  addTasks(program, launch);
  addHandoff(program, launch);
  addMerge(program, launch, host);
  addHosts(program, launch, host);
  addTapes(program, launch, host);
  addAnchor(program, launch);
  addStats(program, launch);
  program.commandsGroup("Serve:");
  addServe(program, launch, host);
  addProjects(program, launch);
  addTokens(program, launch);
  addMcp(program, launch, host);
  addWorkers(program, launch, host);
  addPermission(program, launch, host);
  program.commandsGroup("What a plan is made from:");
  addIntent(program, launch);
  addRegistry(program, launch);
  addFacts(program, launch);
  addMemory(program, launch);
  program.commandsGroup("Other:");
  addMigrate(program, launch);
  addClean(program, launch);
  addCompletion(program, launch);
  return program;
}

const EXAMPLE = `
Examples:
  $ coordinator init                                          write coordinator.yaml for this repository
  $ coordinator doctor                                        does everything a run needs work here?
  $ coordinator plan "Add CSV export to the reports page"     what would be done; nothing runs
  $ coordinator run "Add CSV export to the reports page"      plan it, approve it, have it done
  $ coordinator inbox                                         what waits on you
  $ coordinator merge last                                    take it onto your branch

Exit codes: 0 done, 1 failed, 2 usage or invalid input, 3 waiting on a person,
4 refused by policy, rule or budget, 5 verification failed, 130 interrupted.`;

async function context(
  host: NodeJS.Process,
  project: Project,
  json: boolean,
  approved: boolean,
): Promise<CommandContext> {
  const { defaultParts } = await import("../../app/default-parts.js");
  const { cwd } = project;
  const parts = defaultParts(cwd);
  const watched = host.stderr.isTTY && !json && (host.env["CI"] ?? "") === "";
  return {
    parts,
    project,
    cwd,
    coordinator: async () => (await import("../../app/compose.js")).compose(parts),
    approved,
    server: { following: null },
    toText: async (report, columns = USUAL_WIDTH) => {
      const { toText } = await import("../views/human/to-text.js");
      return toText(report, { color: false, size: { columns, rows: Infinity } });
    },
    progress: (message) => {
      if (watched) host.stderr.write(`${shownSafely(message)}\n`);
    },
    working: (line) => {
      // One line that is drawn over itself; where nothing can be, the others say it.
      if (watched) host.stderr.write(line === null ? "\r\u001b[2K" : `\r\u001b[2K${fitLine(line, host)}`);
    },
    note: (message) => {
      if (!watched && !json) host.stderr.write(`Note: ${shownSafely(message)}\n`);
    },
    warn: (message) => void host.stderr.write(`Warning: ${shownSafely(message)}\n`),
  };
}

/** Messages quote names, settings and what programs print, which come from others. */
const shownSafely = (message: string) => removeUnseen(message, { color: false });

function fitLine(line: string, { stderr }: NodeJS.Process): string {
  return removeUnseen(oneLine(line), { color: false }).slice(0, Math.max(20, (stderr.columns || 80) - 1));
}
