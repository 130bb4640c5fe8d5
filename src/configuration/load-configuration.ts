import { homedir } from "node:os";
import { join } from "node:path";
import { placeIn } from "../documents/places.js";
import { readDocument } from "../documents/read-document.js";
import { keepUnsaid } from "../files/unsaid.js";
import { Configuration } from "../model/configuration.js";
import { type Diagnostic, diagnosticsOf } from "../model/diagnostic.js";
import { CoordinatorError } from "../model/errors.js";
import { agreedIn, foreignSettings } from "./foreign-settings.js";

/*
 * Where the settings come from: the project's file over the person's own over the defaults. A key is taken whole from
 * the nearest file that has it; agents and models are the exception, because a person adds theirs to the
 * project's.
 */

const CONFIGURATION_FILE = "coordinator.yaml";

export interface LoadedConfiguration {
  /** The defaults where there are problems: nothing must be carried out with it then. */
  readonly configuration: Configuration;
  /** Which file each top-level key came from; a key that stands in none is a default. */
  readonly origins: Readonly<Record<string, string>>;
  readonly problems: readonly Diagnostic[];
}

/** A person's own file. */
export function ownSettings(env: NodeJS.ProcessEnv): string {
  const home = env["XDG_CONFIG_HOME"] ?? join(env["HOME"] ?? homedir(), ".config");
  return join(home, "coordinator", "config.yaml");
}

/** The files that are looked at, the nearest last. */
function configurationFiles(root: string, env: NodeJS.ProcessEnv): readonly string[] {
  return [ownSettings(env), join(root, CONFIGURATION_FILE)];
}

/** Contract: throws FILE_UNREADABLE only; a file that is not there has no settings, one that is wrong has problems. */
export async function loadConfiguration(root: string, env: NodeJS.ProcessEnv): Promise<LoadedConfiguration> {
  const merged: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  const problems: Diagnostic[] = [];
  const files = configurationFiles(root, env);
  for (const file of files) {
    const { settings, problems: found } = await settingsIn(file);
    const isForeign = file === files.at(-1);
    problems.push(...found, ...(isForeign ? foreignSettings(settings, file, files[0] ?? "") : []));
    for (const [key, value] of Object.entries(settings)) {
      merged[key] = key === "agents" || key === "models" ? { ...(merged[key] as object), ...(value as object) } : value;
      origins[key] = file;
    }
    if (!isForeign) Object.assign(merged, agreedIn(settings));
  }
  const read = Configuration.safeParse(problems.length > 0 ? {} : merged);
  if (!read.success) problems.push(...diagnosticsOf(read.error, "DOCUMENT_INVALID"));
  const configuration = read.data ?? Configuration.parse({});
  keepUnsaid(keysNamedIn(configuration).map((name) => [name, env[name]] as const));
  return { configuration, origins, problems };
}

/** The variables that settings say to hold a key, whatever they are called. */
function keysNamedIn({ agents, models }: Configuration): string[] {
  const proxies = Object.values(agents).flatMap(({ auth }) => (auth?.type === "proxy" ? [auth.key_env] : []));
  return [...proxies, ...Object.values(models).flatMap(({ key_env }) => key_env ?? [])];
}

/** Each file is checked by itself, so that a problem is told where it stands. */
async function settingsIn(file: string): Promise<{ settings: object; problems: readonly Diagnostic[] }> {
  const document = await readDocument(file).catch((error: unknown) => {
    if (error instanceof CoordinatorError && error.code === "FILE_NOT_FOUND") return null;
    throw error;
  });
  if (document === null) return { settings: {}, problems: [] };
  if (!document.ok) {
    const empty = document.diagnostics.every(({ code }) => code === "DOCUMENT_EMPTY");
    return { settings: {}, problems: empty ? [] : document.diagnostics };
  }
  const read = Configuration.safeParse(document.value);
  if (read.success) return { settings: document.value as object, problems: [] };
  const located = { file, locate: document.locate };
  return { settings: {}, problems: placeIn(located, diagnosticsOf(read.error, "DOCUMENT_INVALID")) };
}
