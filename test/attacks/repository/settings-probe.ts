import { mkdirSync, rmSync, symlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { loadConfiguration } from "../../../src/hands/settings/load-configuration.js";
import { writeAgreement } from "../../../src/hands/settings/trust/agreements.js";
import { trustedRoles } from "../../../src/hands/settings/trust/in-effect.js";
import { listWaiting } from "../../../src/hands/settings/trust/trust-status.js";
import {
  cachesInHome,
  openAgentSandbox,
  chooseShownFolders,
  toolFolders,
} from "../../../src/hands/attempts/agent-sandbox.js";
import { agentSettings } from "../../../src/hands/attempts/agents-of.js";
import { CoordinatorError } from "../../../src/model/errors.js";
import type { AgentEntry } from "../../../src/model/plan/registry.js";
import { openSandbox } from "../../../src/hands/sandbox/open-sandbox.js";
import { runShell } from "./settings-shell.js";

/*
 * A Coordinator in a process of its own, so that it can be another user. It takes each clone as a command would: reads its
 * settings, opens the sandbox they ask for, and runs the clone's program in it. What it prints is what that program saw.
 */

export interface Case {
  readonly name: string;
  readonly root: string;
  /** What runs inside. `$PORT` is that of a service of the host. */
  readonly script: string;
  /** Which agent's sandbox it runs in; that of setup and checks when absent. */
  readonly agent?: string;
  /** The person agrees to everything that can be agreed to first. */
  readonly agrees?: boolean;
  /** After that: the link `at` is made to lead to `to`. */
  readonly relink?: { readonly at: string; readonly to: string };
  /** A socket that a program of the person opens while the clone's program runs. */
  readonly lateSocket?: string;
  /** A role of the project's registry. */
  readonly role?: AgentEntry;
}

export interface Saw {
  readonly name: string;
  readonly problems: readonly string[];
  readonly reaches: readonly { readonly says: string; readonly status: string }[];
  /** Null when no sandbox was opened. */
  readonly stdout: string | null;
  /** Why none was. */
  readonly refused: { readonly code: string; readonly message: string } | null;
  readonly configuration: {
    readonly folder: string | null;
    readonly anchor: readonly string[];
    readonly models: readonly string[];
    readonly network: readonly string[];
    readonly servers: number;
  };
}

const cases = JSON.parse(process.argv[2] ?? "[]") as Case[];
const work = process.argv[3] ?? "";
const results: Saw[] = [];
for (const [i, each] of cases.entries()) results.push(await take(each, join(work, String(i))));
writeSync(1, JSON.stringify(results));
process.exit(0);

async function take(each: Case, folder: string): Promise<Saw> {
  const { env } = process;
  if (each.agrees === true) {
    const { trust } = await loadConfiguration(each.root, env);
    const agreed = listWaiting(trust).map(({ id, says }) => ({ id, says }));
    const at = "2026-01-01T00:00:00Z";
    await writeAgreement({ schema_version: "1.0.0", root: trust.root, hash: trust.hash, agreed_at: at, agreed }, env);
  }
  if (each.relink !== undefined) {
    rmSync(each.relink.at);
    symlinkSync(each.relink.to, each.relink.at);
  }
  const { configuration, problems, trust } = await loadConfiguration(each.root, env);
  const roles = each.role === undefined ? [] : trustedRoles([each.role], trust);
  const told = {
    name: each.name,
    problems: problems.map(({ message }) => message),
    reaches: trust.reaches.map(({ says, status }) => ({ says, status })),
    configuration: {
      folder: configuration.workspace.folder ?? null,
      anchor: [configuration.record.anchor].flat(),
      models: Object.keys(configuration.models),
      network: configuration.scope.network,
      servers: roles.flatMap(({ mcp_servers }) => mcp_servers ?? []).length,
    },
  };
  const nothing = { ...told, stdout: null, refused: null };
  if (problems.length > 0) return nothing;
  mkdirSync(join(folder, "workspace"), { recursive: true });
  const place = { workspace: join(folder, "workspace"), records: join(folder, "records") };
  try {
    const opened = await openFor(each, configuration, place, folder, env);
    const stdout = await runShell(opened, each.script, { PORT: env["SERVICE_PORT"] ?? "" }, each.lateSocket);
    return { ...told, stdout, refused: null };
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    return { ...nothing, refused: { code: error.code, message: error.message } };
  }
}

async function openFor(
  { agent }: Case,
  configuration: Awaited<ReturnType<typeof loadConfiguration>>["configuration"],
  place: { workspace: string; records: string },
  folder: string,
  env: NodeJS.ProcessEnv,
) {
  const { tools, setup } = configuration.workspace;
  const shown = setup?.mounts ?? [];
  const caches = setup?.caches ?? [];
  if (agent === undefined)
    return openSandbox({
      ...place,
      writable: "whole",
      tools: toolFolders(tools, env),
      homeFiles: chooseShownFolders(shown, env),
      caches: cachesInHome(caches, env),
      cachesFolder: join(folder, "caches"),
    });
  const { settings } = agentSettings(agent, configuration, []);
  const { sandbox } = await openAgentSandbox({
    name: agent,
    settings,
    ...place,
    home: join(folder, "home"),
    limits: {},
    hosts: configuration.scope.network,
    innerHosts: configuration.hosts,
    tools,
    shown,
    caches,
    cachesFolder: join(folder, "caches"),
    unsafeNoSandbox: false,
    environment: env,
  });
  return sandbox;
}
