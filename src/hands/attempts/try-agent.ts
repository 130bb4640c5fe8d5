import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { mkdirSync, mkdtempSync, rmSync } from "../../foundation/files/write-files-sync.js";
import { greet, type Greeting } from "../agents/acp/greet.js";
import { resolveAgent } from "../agents/resolve-agent.js";
import type { AgentSettings } from "../../model/settings/agent-config.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import type { SandboxGrade } from "../../model/scope.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { OpenSandbox } from "../sandbox/open-sandbox.js";
import { isBelow } from "../../foundation/files/is-below.js";
import { openAgentSandbox } from "./agent-sandbox.js";
import { isThere } from "./missing-programs.js";
import { temporaryDirectory } from "../workspace/state-places.js";

/* Whether an agent would work in a run: it is started in a sandbox like any other and asked for a session, and no more. */

export interface AgentTrial extends Greeting {
  readonly name: string;
  readonly protocol: "acp" | "command";
  /** Null when no sandbox could be opened. */
  readonly grade: SandboxGrade | null;
  readonly works: boolean;
  readonly fix: string | null;
}

const SILENT: Greeting = { protocol_version: null, says_it_is: null, modes: [], models: [], mode: null, problem: null };

/** An agent that is not there to be started. */
export function makeUntriedAgent(name: string, settings: AgentSettings, fix: string | null): AgentTrial {
  const { protocol } = resolveAgent(name, settings);
  return { ...SILENT, name, protocol, grade: null, works: false, problem: "is not installed", fix };
}

/** Contract: never rejects for what an agent does; leaves nothing behind. */
export async function tryAgent(
  name: string,
  settings: AgentSettings,
  environment: NodeJS.ProcessEnv,
  tools: readonly string[],
): Promise<AgentTrial> {
  const folder = mkdtempSync(join(temporaryDirectory(), "coordinator-trial-"));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const { protocol, limits } = resolveAgent(name, settings);
  const report = (greeting: Greeting, grade: SandboxGrade | null, fix: string | null): AgentTrial => ({
    name,
    protocol,
    grade,
    works: greeting.problem === null,
    ...withoutSecrets(greeting),
    fix,
  });
  try {
    const opened = await openAgentSandbox({
      name,
      settings,
      workspace,
      home: join(folder, "home"),
      limits: { minutes: limits.start_seconds / 60 + 1 },
      hosts: [],
      innerHosts: [],
      tools,
      shown: [],
      caches: [],
      records: join(folder, "cages"),
      unsafeNoSandbox: false,
      environment,
    });
    try {
      const agent = resolveAgent(name, opened.settings);
      const greeting =
        protocol === "acp" ? await greet(agent, opened.sandbox) : await checkProgram(agent.argv[0], opened.sandbox);
      const unseen = unseenArgument(settings, tools, opened.sandbox);
      return report(
        greeting,
        opened.sandbox.grade,
        greeting.problem === null ? null : adviceFor(greeting.problem, unseen),
      );
    } finally {
      await opened.sandbox.close();
    }
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    return report({ ...SILENT, problem: error.message }, null, error.fix ?? null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file of this machine that the command names and the sandbox does not show. */
function unseenArgument(
  { command = [] }: AgentSettings,
  tools: readonly string[],
  { inside }: OpenSandbox,
): string | undefined {
  const isShown = (word: string) => inside(word) !== null || tools.some((folder) => isBelow(word, folder));
  return command.slice(1).find((word) => isAbsolute(word) && existsSync(word) && !isShown(word));
}

/** A program without a protocol cannot be greeted: what can be known is whether it is there inside. */
async function checkProgram(program: string, sandbox: Sandbox): Promise<Greeting> {
  const problem = (await isThere(program, sandbox)) ? null : `There is no program ${program} inside the sandbox.`;
  return { ...SILENT, problem };
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/not logged in/, "Log in to it outside of the sandbox, or give it a key with auth: proxy."],
  [/has no mode|offers no permission modes/, "Set mode: to one it has, or mode: null to rely on the sandbox alone."],
  [
    /not ready within/,
    "Give it longer with limits: { start_seconds: 120 }, or start it by hand to see what it waits for.",
  ],
  [/could not be started|code 127|not found/, "Name its program with its full path under command:."],
  [/no message|ended/, "Start the same command by hand: it must speak the Agent Client Protocol on stdin and stdout."],
];

function adviceFor(problem: string, unseen: string | undefined): string | null {
  if (unseen !== undefined)
    return `${unseen} is an argument of its command and is not shown in the sandbox: name it, or its folder, under workspace.tools in ~/.config/coordinator/config.yaml.`;
  return ADVICE.find(([pattern]) => pattern.test(problem))?.[1] ?? null;
}
