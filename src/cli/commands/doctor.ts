import { homedir } from "node:os";
import { findAgents, type FoundAgent, type Machine } from "../../agents/find-agents.js";
import { onPath } from "../../configuration/find-tools.js";
import { loadConfiguration } from "../../configuration/load-configuration.js";
import { agentSettings, agentsUsed } from "../../execute/agents-of.js";
import { namedAgent } from "../../execute/named-agent.js";
import { type AgentTrial, notTried, tryAgent } from "../../execute/try-agent.js";
import { tryChecks } from "../../execute/try-checks.js";
import type { AgentSettings } from "../../model/agent-config.js";
import type { Configuration } from "../../model/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import { findRoot } from "../../runs/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { type Examination, finished, type Finished } from "../report.js";
import {
  examineContract,
  examineGit,
  examineNode,
  examineRepository,
  examineSettings,
  examineState,
  examineStore,
} from "./doctor-checks.js";

export interface DoctorArguments {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
  /** Looks at the sandbox of this machine. Absent: nobody looked, and that is said. */
  readonly sandbox?: () => Promise<Examination>;
  /** The only agent to be started; every configured one when absent. */
  readonly agent?: string;
  readonly progress?: (message: string) => void;
}

/**
 * Ready means that a run can be started here: everything that is needed, and every agent that a run would use.
 *
 * Contract: agents are started in a cage and asked for a session; no model is asked and nothing is spent.
 */
export async function examine(args: DoctorArguments): Promise<Finished> {
  const { configuration, problems } = await loadConfiguration(findRoot(args.cwd), args.env);
  const machine = machineOf(args.env);
  const [git, repository, store, state, sandbox, agents] = await Promise.all([
    examineGit(machine.path),
    examineRepository(args.cwd, args.env),
    examineStore(args.cwd),
    examineState(args.env),
    (args.sandbox ?? nobodyLooked)(),
    findAgents(machine, configuration.agents),
  ]);
  // Without either of them no cage is opened, and nothing could be learnt from one.
  const hasCages = sandbox.status !== "bad" && state.status !== "bad";
  const trials = hasCages ? await tryAgents(args, configuration, agents) : [];
  const proven = hasCages && sandbox.status !== "unknown" ? await examineChecks(configuration, args.env) : [];
  const checks = [
    examineNode(args.node),
    git,
    repository,
    store,
    state,
    examineSettings(problems),
    await examineContract(args.cwd),
    sandbox,
    ...proven,
    examineAgents(agents),
    ...trials.map((trial) => examineTrial(trial, agentsUsed(configuration, args.agent))),
  ];
  const ready = checks.every(({ status }) => status !== "bad");
  return finished(ready ? EXIT.done : EXIT.failed, { type: "doctor", ready, checks, agents, trials });
}

/** What proves results has to run inside, where a toolchain of somebody's home is not seen unless it is named. */
async function examineChecks(configuration: Configuration, env: NodeJS.ProcessEnv): Promise<Examination[]> {
  const { checks } = configuration;
  if (checks.length === 0) return [];
  const { missing, problem } = await tryChecks(configuration, env);
  const say = (status: Examination["status"], detail: string, fix: string | null): Examination[] => [
    { name: "checks", status, detail, fix },
  ];
  if (problem !== null) return say("bad", problem.message, problem.fix ?? null);
  if (missing.length === 0)
    return say("good", `${checks.map(({ name }) => name).join(", ")}: their programs stand in the sandbox`, null);
  const away = missing.filter((program) => onPath(program, env["PATH"] ?? "") === null);
  const hidden = missing.filter((program) => !away.includes(program));
  const fixes = [
    ...(away.length === 0
      ? []
      : [`Install ${away.join(", ")}, or take what needs it out of checks in coordinator.yaml.`]),
    ...(hidden.length === 0
      ? []
      : [
          `Name where ${hidden.join(", ")} is installed under workspace.tools in coordinator.yaml; coordinator init --dry-run finds it.`,
        ]),
  ];
  return say("bad", `not found inside the sandbox: ${missing.join(", ")}`, fixes.join(" "));
}

export function machineOf(env: NodeJS.ProcessEnv): Machine {
  return {
    path: env["PATH"] ?? "",
    home: env["HOME"] ?? homedir(),
    hasVariable: (name) => (env[name] ?? "") !== "",
  };
}

const nobodyLooked = async (): Promise<Examination> => ({
  name: "sandbox",
  status: "unknown",
  detail: "not looked at",
  fix: null,
});

/** Those of the configuration, or the one that was named. What is not installed cannot be started, and is told all the same. */
async function tryAgents(
  { env, agent, progress }: DoctorArguments,
  configuration: Configuration,
  found: readonly FoundAgent[],
): Promise<AgentTrial[]> {
  const names = agent === undefined ? Object.keys(configuration.agents) : [agent];
  const trials: AgentTrial[] = [];
  // One after the other: several at once are slow to start, and would be told to be broken.
  for (const name of names) {
    const known = found.find((each) => each.name === name);
    const refused = refusalOf(name, configuration);
    if (refused !== null && known?.program !== null) {
      trials.push(refused);
      continue;
    }
    const settings = namedAgent(name, configuration) as AgentSettings;
    if (known?.program === null) {
      trials.push(notTried(name, settings, known.fix));
      continue;
    }
    progress?.(`Starting ${name} in a sandbox …`);
    const trial = await tryAgent(name, settings, env, configuration.workspace.tools);
    trials.push(trial.works ? trial : { ...trial, fix: known?.fix ?? trial.fix });
  }
  return trials;
}

/** What a person has not agreed to show is not shown here either. Contract: throws for a name that nobody has. */
function refusalOf(name: string, configuration: Configuration): AgentTrial | null {
  const settings = namedAgent(name, configuration);
  try {
    agentSettings(name, configuration, []);
    return null;
  } catch (error) {
    if (!(error instanceof CoordinatorError) || settings === null) throw error;
    return { ...notTried(name, settings, error.fix ?? null), problem: error.message };
  }
}

function examineTrial(trial: AgentTrial, used: ReadonlySet<string>): Examination {
  const { name, works, problem, fix } = trial;
  if (!works) return { name, status: used.has(name) ? "bad" : "weak", detail: problem ?? "", fix };
  if (trial.protocol === "command")
    return { name, status: "good", detail: "stands in the sandbox; only a run shows whether it works", fix: null };
  const who = trial.says_it_is === null ? "" : `, ${trial.says_it_is}`;
  const asks = trial.mode === null ? "" : `, mode ${trial.mode} set and read back`;
  const modes = trial.modes.length === 0 ? "no modes" : `modes ${trial.modes.join(", ")}`;
  const detail = `works in the sandbox: protocol version ${trial.protocol_version}${who}, ${modes}${asks}`;
  const unasked = trial.mode === null && trial.modes.length > 0;
  return { name, status: "good", detail, fix: unasked ? "Set mode: to the one that asks before it acts." : null };
}

function examineAgents(agents: readonly FoundAgent[]): Examination {
  const ready = agents.filter((agent) => agent.ready && agent.preset !== "scripted");
  const names = [...new Set(ready.map(({ name }) => name))];
  if (names.length > 0) return { name: "agents", status: "good", detail: `found: ${names.join(", ")}`, fix: null };
  const fix = "Install one agent and log in to it; coordinator doctor says how for each.";
  return { name: "agents", status: "weak", detail: "only the scripted agent, which needs a script", fix };
}
