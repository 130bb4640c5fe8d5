import { Command, Option } from "commander";
import { CoordinatorError } from "../../model/errors.js";
import { VERSION } from "../../version.js";
import type { Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { addAdr } from "./adr.js";
import { addDecisions } from "./decisions.js";
import { addClean } from "./clean.js";
import { addDoctor } from "./doctor.js";
import { addExplain } from "./explain.js";
import { addFacts } from "./facts.js";
import { addInit } from "./init.js";
import { addIntake } from "./intake.js";
import { addIntent } from "./intent.js";
import { addMemory } from "./memory.js";
import { addMerge } from "./merge.js";
import { addPlan } from "./plan.js";
import { addRegistry } from "./registry.js";
import { addRoute } from "./route.js";
import { addRun } from "./run.js";
import { addRuns, addTapes } from "./runs.js";
import { addVerify } from "./verify.js";

/** How a command's declaration hands over: it imports the command, runs it and passes on what it found. */
export type Launch = (command: (surroundings: Surroundings) => Promise<Finished>) => Promise<void>;

/** The words of the command line. Contract: parsing throws CommanderError instead of ending the process. */
export function buildProgram(host: NodeJS.Process, done: (finished: Finished) => void): Command {
  const program = new Command("coordinator");
  const launch: Launch = async (command) => {
    const { cwd } = program.opts<{ cwd?: string }>();
    if (cwd !== undefined) changeDirectory(host, cwd);
    done(await command(await surroundings(host, program.opts<{ json?: boolean }>().json === true)));
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
  program.commandsGroup("Requests:");
  addIntake(program, launch, host);
  addRoute(program, launch, host);
  addAdr(program, launch, host);
  program.commandsGroup("Plan:");
  addPlan(program, launch);
  addVerify(program, launch, host);
  addExplain(program, launch);
  program.commandsGroup("Run:");
  addRun(program, launch, host);
  addRuns(program, launch, host);
  addDecisions(program, launch);
  addMerge(program, launch, host);
  addTapes(program, launch, host);
  program.commandsGroup("What a plan is made from:");
  addIntent(program, launch);
  addRegistry(program, launch);
  addFacts(program, launch);
  addMemory(program, launch);
  program.commandsGroup("Other:");
  addClean(program, launch, host);
  return program;
}

const EXAMPLE = `
Examples:
  $ coordinator init                                write coordinator.yaml for this repository
  $ coordinator facts collect                       what can be seen of it
  $ coordinator memory build                        what earlier runs taught
  $ coordinator plan --intent intent.json --out plan
  $ coordinator run --plan plan

Exit codes: 0 done, 1 failed, 2 usage or invalid input, 3 waiting on a person,
4 refused by policy, rule or budget, 5 verification failed, 130 interrupted.`;

async function surroundings(host: NodeJS.Process, json: boolean): Promise<Surroundings> {
  const { compose, defaultParts } = await import("../../compose.js");
  const parts = defaultParts();
  const watched = host.stderr.isTTY && !json && (host.env["CI"] ?? "") === "";
  return {
    parts,
    coordinator: compose(parts),
    progress: (message) => {
      if (watched) host.stderr.write(`${message}\n`);
    },
  };
}

function changeDirectory(host: NodeJS.Process, cwd: string): void {
  try {
    host.chdir(cwd);
  } catch (cause) {
    throw new CoordinatorError("FILE_NOT_FOUND", `There is no directory ${cwd} to work in.`, {
      cause,
      fix: "Check what --cwd names.",
    });
  }
}
