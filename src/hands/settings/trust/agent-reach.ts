import { PRESETS } from "../../agents/presets/presets.js";
import type { AgentSettings, McpServerSettings } from "../../../model/settings/agent-config.js";
import { isSameContent, type Reach, describeWord } from "./reach.js";

/*
 * Which agents of a project are a plain preset, and what the others do, in words. An agent runs with the network and
 * often with a login, so its program, its arguments and its variables are a person's to choose.
 */

const FILE = "coordinator.yaml";

/** A name of a model as makers write them; it becomes an argument, so it must not look like an option. */
const PLAIN_MODEL = /^[A-Za-z0-9][\w.:/@+[\]-]*$/;
/** A file of the repository. */
const PLAIN_SCRIPT = /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[\w./ -]+$/;

/** Contract: pure. */
export function agentReaches(
  agents: Readonly<Record<string, AgentSettings>>,
  own: Readonly<Record<string, AgentSettings>>,
): Reach[] {
  return Object.entries(agents).flatMap(([name, settings]): Reach[] => {
    if (isPlainPreset(settings)) return [];
    return [
      {
        kind: "agent",
        name,
        where: `${FILE}: agents.${name}`,
        says: describeAgent(name, settings),
        content: settings,
        allowedBy: "agreement",
        isOwn: Object.hasOwn(own, name) && isSameContent(own[name], settings),
      },
    ];
  });
}

/** A preset that starts the program its maker names, with what that program is known to need. */
export function isPlainPreset(settings: AgentSettings): boolean {
  const { preset, command, protocol, env, auth, mcp_servers } = settings;
  if (preset === undefined || command !== undefined || protocol !== undefined || mcp_servers.length > 0) return false;
  if (oddModels(settings).length > 0) return false;
  const variables = Object.entries(env);
  const isRehearsal = ([name, value]: [string, string]) =>
    preset === "scripted" && name === "COORDINATOR_SCRIPT" && PLAIN_SCRIPT.test(value);
  if (!variables.every(isRehearsal)) return false;
  if (auth?.type !== "proxy") return true;
  const { upstream } = PRESETS[preset];
  return (
    upstream !== null &&
    auth.upstream.replace(/\/$/, "") === upstream.url &&
    auth.header.toLowerCase() === upstream.header &&
    auth.routes.every((route) => upstream.routes.includes(route))
  );
}

/** Names of models that could be taken for something else on a command line. */
function oddModels({ model, models = [] }: AgentSettings): string[] {
  return [...(model === undefined ? [] : [model]), ...models].filter((name) => !PLAIN_MODEL.test(name));
}

function describeAgent(name: string, settings: AgentSettings): string {
  const { preset, command, env, auth, mcp_servers, protocol } = settings;
  const files = auth?.type === "own" ? auth.files : auth === undefined && preset ? PRESETS[preset].login.files : [];
  const parts = [
    command === undefined
      ? `is the preset ${preset ?? ""} with changes`
      : `runs: ${describeWords(command)}${preset === undefined ? "" : ` (in place of the preset ${preset})`}`,
    ...(protocol === undefined ? [] : [`is spoken to by the protocol ${protocol}`]),
    ...oddModels(settings).map((model) => `is given as its model: ${describeWord(model)}`),
    ...Object.entries(env).map(([variable, value]) => `gets the variable ${variable}=${describeWord(value)}`),
    ...(auth?.type === "proxy"
      ? [
          `asks ${describeWord(auth.upstream)} with the key in ${auth.key_env}: ${auth.routes.map(describeWord).join(", ")}`,
        ]
      : []),
    ...(files.length > 0
      ? [`can read your login, if you agreed to show it: ${files.map((file) => describeWord(`~/${file}`)).join(", ")}`]
      : []),
    ...mcp_servers.map(describeServer),
  ];
  return `agent '${name}' ${parts.join("; ")}`;
}

/** Describes the program that a server of the Model Context Protocol starts. */
export function describeServer({ name, argv, env }: McpServerSettings): string {
  const given = env.length === 0 ? "" : `, with your variables ${env.join(", ")}`;
  return `starts the MCP server '${describeWord(name)}': ${describeWords(argv)}${given}`;
}

function describeWords(words: readonly string[]): string {
  return words.map(describeWord).join(" ");
}
