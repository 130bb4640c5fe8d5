import { homedir } from "node:os";
import { findAgents, type FoundAgent, type Machine } from "../../hands/agents/find-agents.js";
import { detectSetup, proposeInstall } from "../../hands/settings/detect-setup.js";
import { agentSettings, listUsedAgents } from "../../hands/attempts/agents-of.js";
import { pathOutside } from "../../hands/attempts/agent-program.js";
import { namedAgent } from "../../hands/attempts/named-agent.js";
import { type AgentTrial, makeUntriedAgent, tryAgent } from "../../hands/attempts/try-agent.js";
import type { AgentSettings } from "../../model/settings/agent-config.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Project } from "../project/project.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { ChecksTried, Examination } from "../setup-reports.js";
import {
  examineContract,
  examineDisk,
  examineEngine,
  examineGit,
  examineNode,
  examineNotices,
  examineRepository,
  examineSettings,
  examineState,
  examineStore,
} from "./doctor-checks.js";
import { examineCodeHost } from "./examine-code-host.js";
import { examinePrograms } from "./examine-programs.js";
import { examineToolchains } from "./examine-toolchains.js";
import { examineTrust } from "../project/describe-trust.js";
import { gitIn } from "../../hands/facts/git.js";
import { filesOfWorkspaces, projectFiles } from "../project/project-files.js";
import { tryProject } from "../init/try-project.js";

export interface DoctorArguments {
  readonly project: Project;
  readonly node: string;
  /** Looks at the sandbox of this machine. Absent: nobody looked, and that is said. */
  readonly sandbox?: () => Promise<Examination>;
  /** The only agent to be started; every configured one when absent. */
  readonly agent?: string;
  /** Known results of the checks; false: they are not to be run. */
  readonly tried?: ChecksTried | false;
  /** Minutes after which a check is stopped here, where its own limit is later. */
  readonly minutes?: number | undefined;
  readonly signal?: AbortSignal;
  readonly progress?: (message: string) => void;
}

/**
 * Ready means that a run can be started here and its results can be proven: everything that is needed, every agent that
 * a run would use, and setup and every check, run once on HEAD.
 *
 * Contract: agents are started in a sandbox and asked for a session; no model is asked and nothing is spent.
 */
export async function examine(args: DoctorArguments): Promise<Finished> {
  const { signal = new AbortController().signal } = args;
  const { project } = args;
  const { root, environment } = project;
  const { configuration, problems, trust } = await project.settings();
  const machine = machineOf(environment);
  const git = examineGit(machine.path);
  const [repository, store, state, sandbox, agents] = await Promise.all([
    examineRepository(project.cwd, environment),
    examineStore(project),
    examineState(environment),
    (args.sandbox ?? emptyExamination)(),
    findAgents(machineOf(outside(environment, root)), configuration.agents),
  ]);
  const place = [
    examineNode(args.node),
    git,
    repository,
    store,
    ...(store.status === "bad" ? [] : await examineEngine(project)),
    state,
    ...(state.status === "bad" ? [] : await examineDisk(environment, configuration.workspace.folder)),
    ...(repository.status === "good" ? await examineNotices(root, machine.path) : []),
    examineSettings(problems),
    ...(problems.length > 0 ? [] : [examineTrust(trust)]),
    await examineContract(project),
    ...(repository.status === "good" && problems.length === 0
      ? await examineCodeHost(project, configuration.code_host)
      : []),
    sandbox,
  ];
  for (const { name, status, detail } of place) if (status === "bad") args.progress?.(`${name}: ${detail}`);
  // Without either of them no sandbox is opened, and nothing could be learnt from one.
  const hasSandboxes = sandbox.status !== "bad" && state.status !== "bad";
  const trials = hasSandboxes ? await tryAgents(args, configuration, agents) : [];
  const isProject = repository.status === "good" && problems.length === 0 && sandbox.status !== "unknown";
  const tried = await triedChecks(args, configuration, { mayTry: hasSandboxes && isProject, signal });
  if (signal.aborted) return interruptedReport();
  const programs =
    tried.commit === null && hasSandboxes && sandbox.status !== "unknown"
      ? await examinePrograms(configuration, environment)
      : [];
  const checks = [
    ...place,
    ...(await examineToolchains(projectFiles(root), machine.path, tried.lines)),
    ...programs,
    ...examineChecks(args, configuration, tried),
    ...(args.agent === undefined ? [examineAgents(configuration, agents)] : []),
    ...trials.map((trial) => examineTrial(trial, listUsedAgents(configuration, args.agent), agents)),
  ];
  const ready = [...checks, ...tried.lines].every(({ status }) => status !== "bad");
  return finish(ready ? EXIT.done : EXIT.failed, { type: "doctor", ready, checks, tried, agents, trials });
}

export function interruptedReport(): Finished {
  return fail(EXIT.interrupted, "INTERRUPTED", "Stopped. No sandbox and no workspace is left", {
    fix: "Start it again, or with --no-checks to leave out setup and checks.",
  });
}

async function triedChecks(
  args: DoctorArguments,
  configuration: Configuration,
  { mayTry, signal }: { readonly mayTry: boolean; readonly signal: AbortSignal },
): Promise<ChecksTried> {
  const { root, environment } = args.project;
  if (args.tried !== undefined && args.tried !== false) return args.tried;
  const not = (reason: string, fix: string | null = null): ChecksTried => ({
    commit: null,
    not_tried: { reason, fix },
    lines: [],
  });
  if (args.tried === false) return not("left out by --no-checks");
  if (args.agent !== undefined) return not("left out: only an agent was asked for");
  if (configuration.checks.length === 0) return not("there are none");
  if (!mayTry) return not("what is bad above comes first");
  const { minutes, progress = () => undefined } = args;
  const files = filesOfWorkspaces(root, gitIn(root, environment));
  const machine = { ...machineOf(environment), root };
  const [proposal] = await proposeInstall(files, machine);
  const { trial: _, ...tried } = await tryProject({
    project: args.project,
    configuration,
    install: proposal?.command ?? null,
    fill: (await detectSetup(files, machine))?.install ?? null,
    minutes,
    progress,
    signal,
  });
  return tried;
}

/** Examines missing checks, and those that could not be tried. */
function examineChecks(
  { tried: asked, agent }: DoctorArguments,
  { checks }: Configuration,
  { not_tried, commit }: ChecksTried,
): Examination[] {
  if (agent !== undefined) return [];
  if (checks.length === 0) {
    const status = asked === false ? "weak" : "bad";
    const detail = "none in coordinator.yaml: no result could be proven";
    return [
      {
        name: "checks",
        status,
        detail,
        fix: "Name the commands that test this project under checks; coordinator init --dry-run proposes some.",
      },
    ];
  }
  if (commit !== null || not_tried === null) return [];
  if (asked === false)
    return [{ name: "checks", status: "unknown", detail: `not run: ${not_tried.reason}`, fix: null }];
  return [{ name: "checks", status: "bad", detail: `not run: ${not_tried.reason}`, fix: not_tried.fix }];
}

/** Programs of agents are looked for where the repository has none to offer. */
export function outside(env: NodeJS.ProcessEnv, root: string): NodeJS.ProcessEnv {
  return { ...env, PATH: pathOutside(env["PATH"] ?? "", root) };
}

export function machineOf(env: NodeJS.ProcessEnv): Machine {
  return {
    path: env["PATH"] ?? "",
    home: env["HOME"] ?? homedir(),
    hasVariable: (name) => (env[name] ?? "") !== "",
  };
}

const emptyExamination = async (): Promise<Examination> => ({
  name: "sandbox",
  status: "unknown",
  detail: "not looked at",
  fix: null,
});

/** Tries the agents of the configuration, or the one that was named. One that is not installed is listed all the same. */
async function tryAgents(
  { project, agent, progress }: DoctorArguments,
  configuration: Configuration,
  found: readonly FoundAgent[],
): Promise<AgentTrial[]> {
  const names = agent === undefined ? Object.keys(configuration.agents) : [agent];
  const trials: AgentTrial[] = [];
  // One after the other: several at once are slow to start, and would be reported as broken.
  for (const name of names) {
    const known = found.find((each) => each.name === name);
    const refused = refusalOf(name, configuration);
    if (refused !== null && known?.program !== null) {
      trials.push(refused);
      continue;
    }
    const settings = namedAgent(name, configuration) as AgentSettings;
    if (known?.program === null) {
      trials.push(makeUntriedAgent(name, settings, known.fix));
      continue;
    }
    progress?.(`Starting ${name} in a sandbox …`);
    const trial = await tryAgent(
      name,
      settings,
      outside(project.environment, project.root),
      configuration.workspace.tools,
    );
    trials.push(trial.works ? trial : { ...trial, fix: known?.fix ?? trial.fix });
  }
  return trials;
}

/** Refuses an agent whose files a person has not agreed to show. Contract: throws for an unknown name. */
function refusalOf(name: string, configuration: Configuration): AgentTrial | null {
  const settings = namedAgent(name, configuration);
  try {
    agentSettings(name, configuration, []);
    return null;
  } catch (error) {
    if (!(error instanceof CoordinatorError) || settings === null) throw error;
    return { ...makeUntriedAgent(name, settings, error.fix ?? null), problem: error.message };
  }
}

function examineTrial(trial: AgentTrial, used: ReadonlySet<string>, agents: readonly FoundAgent[]): Examination {
  const { name, works, problem, fix } = trial;
  const bad = used.has(name) ? "bad" : "weak";
  if (!works) return { name, status: bad, detail: problem ?? "", fix };
  // Some open a session without a login, and fail at the first question.
  const found = agents.find((agent) => agent.name === name);
  if (found?.login === "none") return { name, status: bad, detail: "is installed, but not logged in", fix: found.fix };
  if (trial.protocol === "command")
    return { name, status: "good", detail: "is in the sandbox; only a run shows whether it works", fix: null };
  const who = trial.says_it_is === null ? "" : `, ${trial.says_it_is}`;
  const asks = trial.mode === null ? "" : `, mode ${trial.mode} set and read back`;
  const modes = trial.modes.length === 0 ? "no modes" : `modes ${trial.modes.join(", ")}`;
  const models = trial.models.length === 0 ? "" : `, models ${trial.models.join(", ")}`;
  const detail = `works in the sandbox: protocol version ${trial.protocol_version}${who}, ${modes}${models}${asks}`;
  const unasked = trial.mode === null && trial.modes.length > 0;
  return { name, status: "good", detail, fix: unasked ? "Set mode: to the one that asks before it acts." : null };
}

/** A run needs somebody who is named; what is only installed is nobody yet. */
function examineAgents(
  { agents: configured, default_agent }: Configuration,
  agents: readonly FoundAgent[],
): Examination {
  const known = agents.filter(({ preset }) => preset !== "scripted");
  const names = (some: readonly FoundAgent[]) => [...new Set(some.map(({ name }) => name))].join(", ");
  const ready = known.filter((agent) => agent.ready);
  const isNamed = default_agent !== undefined || Object.keys(configured).length > 0;
  if (isNamed) {
    const named = [...new Set([...Object.keys(configured), ...(default_agent === undefined ? [] : [default_agent])])];
    const found = ready.length > 0 ? `; installed and logged in: ${names(ready)}` : "";
    const detail = `configured: ${named.join(", ")}${found}`;
    return { name: "agents", status: "good", detail, fix: null };
  }
  const bad = (detail: string, fix: string): Examination => ({ name: "agents", status: "bad", detail, fix });
  const none = "No agent is configured, so no run can start";
  const [first] = ready;
  if (first !== undefined)
    return bad(
      `${none}; installed and logged in: ${names(ready)}`,
      `Add it to coordinator.yaml (default_agent: ${first.name}), or coordinator init --force.`,
    );
  const [installed] = known.filter(({ program }) => program !== null);
  if (installed !== undefined)
    return bad(`${none}; ${installed.name} is installed, but not logged in`, installed.fix ?? "");
  return bad(
    `${none}, and none is installed`,
    "Install one and log in to it, as below, then coordinator init --force; or name your own under agents in coordinator.yaml.",
  );
}
