import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Configuration } from "../../../model/settings/configuration.js";
import { isKnownCache } from "../../../model/settings/known-caches.js";
import { KNOWN_LOGINS, type KnownLogin } from "../../../model/settings/known-logins.js";
import { isInnerHost } from "../../sandbox/network/host-rule.js";
import { isBelow } from "../../../foundation/files/is-below.js";
import { peopleHere, secretObjection } from "../../sandbox/shown/secret-places.js";
import { isAlwaysSeen } from "../../sandbox/shown/shown-places.js";
import { agentReaches } from "./agent-reach.js";
import { describeWord, isSameContent, type Reach } from "./reach.js";
import { spendingReaches } from "./spending-reaches.js";

/* Requests in the settings of a project that reach beyond it. Files are looked for, and none is read. */

export interface ReachContext {
  /** The real path of the project's root. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** The person's own settings. */
  readonly own: Configuration;
}

const FILE = "coordinator.yaml";

/** Contract: `project` is the project's file alone, with its defaults. */
export function settingsReaches(project: Configuration, around: ReachContext): Reach[] {
  const { workspace, scope, agents, models, record } = project;
  const { own } = around;
  const ownSetup = own.workspace.setup;
  return [
    ...agentReaches(agents, own.agents),
    ...workspace.tools.flatMap((folder) =>
      folderReachOf(
        "tool",
        folder,
        "workspace.tools",
        own.workspace.tools,
        "agents and checks, and runs programs from it",
        around,
      ),
    ),
    ...(workspace.setup?.mounts ?? []).flatMap((folder) =>
      folderReachOf(
        "mount",
        folder,
        "workspace.setup.mounts",
        ownSetup?.mounts ?? [],
        "agents, setup and checks",
        around,
      ),
    ),
    ...(workspace.setup?.caches ?? []).flatMap((folder) =>
      folderReachOf(
        "cache",
        folder,
        "workspace.setup.caches",
        ownSetup?.caches ?? [],
        "agents, setup and checks as a copy",
        around,
      ),
    ),
    ...folderReach(workspace.folder, around),
    ...anchorReaches([record.anchor].flat(), around),
    ...hostReaches(scope.network, "host", `${FILE}: scope.network`, own),
    ...spendingReaches(project, own),
    ...Object.entries(models).flatMap(([name, settings]): Reach[] => {
      if (isKnownUpstream(settings.base_url)) return [];
      const says = `model '${name}' is asked at ${describeWord(settings.base_url)}, from outside of every sandbox`;
      const isOwn = Object.hasOwn(own.models, name) && isSameContent(own.models[name], settings);
      return [reach("model", name, `models.${name}`, says, settings, { isOwn, allowedBy: "own_settings" })];
    }),
  ];
}

/** Hosts beyond those of the presets. */
export function hostReaches(
  hosts: readonly string[],
  kind: "host" | "policy_host",
  where: string,
  own: Pick<Configuration, "hosts" | "scope">,
): Reach[] {
  const known = Object.values<KnownLogin>(KNOWN_LOGINS).flatMap((login) => login.hosts);
  const others = [...new Set(hosts)].filter((host) => !known.includes(host.toLowerCase().replace(/:443$/, "")));
  return others.map((host): Reach => {
    const isInner = isInnerHost(host);
    const inner = isInner ? ", which is this machine or one near it" : "";
    return {
      kind,
      name: host,
      where,
      says: `lets agents reach the host ${describeWord(host)}${inner}`,
      content: host,
      allowedBy: isInner ? "own_settings" : "agreement",
      isOwn: own.hosts.includes(host) || own.scope.network.includes(host),
    };
  });
}

type Allowed = Pick<Reach, "allowedBy" | "isOwn">;

function reach(
  kind: Reach["kind"],
  name: string,
  key: string,
  says: string,
  content: unknown,
  allowed: Allowed,
): Reach {
  return { kind, name, where: `${FILE}: ${key}`, says, content, ...allowed };
}

/** The real path is part of what is agreed to: a link that leads elsewhere later is another folder. */
function folderReachOf(
  kind: "tool" | "mount" | "cache",
  folder: string,
  key: string,
  own: readonly string[],
  to: string,
  { env }: ReachContext,
): Reach[] {
  const place = placeOf(folder, env);
  const real = realPlace(place);
  if (isAlwaysSeen(real) || (kind !== "tool" && isKnownCache(folder))) return [];
  const objection = secretObjection(real, peopleHere(env));
  const elsewhere = real === place ? "" : ` (${describeWord(shortenHome(real, env))})`;
  const never = objection === null ? "" : `; this is never done: ${objection}`;
  return [
    reach(
      kind,
      folder,
      key,
      `shows the folder ${describeWord(folder)}${elsewhere} to ${to}${never}`,
      shortenHome(real, env),
      {
        allowedBy: objection === null ? "agreement" : "nobody",
        isOwn: own.includes(folder),
      },
    ),
  ];
}

function folderReach(folder: string | undefined, { env, own }: ReachContext): Reach[] {
  if (folder === undefined) return [];
  const real = shortenHome(realPlace(placeOf(folder, env)), env);
  const isOwn = own.workspace.folder === folder;
  const says = `makes the workspaces of agents in ${describeWord(folder)}${real === folder ? "" : ` (${describeWord(real)})`}`;
  return [reach("folder", folder, "workspace.folder", says, real, { allowedBy: "agreement", isOwn })];
}

function anchorReaches(places: readonly string[], { root, env, own }: ReachContext): Reach[] {
  const agreed = [own.record.anchor].flat();
  return places.flatMap((place) => {
    if (place.startsWith("git:")) return [];
    const real = realPlace(place.startsWith("~/") ? placeOf(place, env) : resolve(root, place));
    if (isBelow(real, root)) return [];
    const says = `writes the checkpoints of runs to the file ${describeWord(shortenHome(real, env))}`;
    const isOwn = agreed.includes(place);
    return [reach("anchor", place, "record.anchor", says, shortenHome(real, env), { allowedBy: "agreement", isOwn })];
  });
}

function isKnownUpstream(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, username } = new URL(address);
  return username === "" && Object.values<KnownLogin>(KNOWN_LOGINS).some(({ upstream }) => upstream === origin);
}

function placeOf(folder: string, env: NodeJS.ProcessEnv): string {
  return resolve(folder.replace(/^~(?=\/)/, env["HOME"] ?? homedir()));
}

/** The real path of a place of which the last parts may not be there yet. */
export function realPlace(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return path === dirname(path) ? path : join(realPlace(dirname(path)), basename(path));
}

/** Shortens a path below the home, so that it is equal on machines whose homes differ in name. */
function shortenHome(path: string, env: NodeJS.ProcessEnv): string {
  const home = realPlace(env["HOME"] ?? homedir());
  return isBelow(path, home) ? join("~", relative(home, path)) : path;
}
