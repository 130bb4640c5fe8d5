import { readFile } from "../../foundation/files/read-files.js";
import { resolveAgent } from "../../hands/agents/resolve-agent.js";
import { ownSettings } from "../../hands/settings/load-configuration.js";
import { withLogins } from "../../hands/settings/with-logins.js";
import { listUsedAgents } from "../../hands/attempts/agents-of.js";
import { loginAtStake, unagreedFiles } from "../../hands/attempts/agreed-logins.js";
import { namedAgent } from "../../hands/attempts/named-agent.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { Project } from "../project/project.js";
import { writeWhole } from "../project/write-file.js";

/* A person agrees once to what agents are shown of their logins; it stands in their own settings from then on. */

/**
 * Before a run: asks for each login that it would need and nobody agreed to.
 *
 * Contract: nothing is written without a yes; anyone who says no is refused by the run, with what there is to do instead.
 */
export async function agreeHere(
  project: Project,
  agent: string | undefined,
  ask: ((shown: string) => Promise<boolean>) | null,
): Promise<void> {
  if (ask === null) return;
  const { configuration, problems } = await project.settings();
  if (problems.length > 0) return;
  const { environment: env } = project;
  const asked = new Set<string>();
  for (const name of listUsedAgents(configuration, agent)) {
    const stake = stakeOf(name, configuration);
    if (stake === null || asked.has(stake.preset)) continue;
    asked.add(stake.preset);
    if (await ask(`${stake.shown} Kept in ${ownSettings(env)}.`))
      await project.judgeAgain(await recordLogins([stake.preset], env));
  }
}

/** Returns the file it stands in. */
export async function recordLogins(presets: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const file = ownSettings(env);
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const text = withLogins(before, presets);
  if (text !== before) await writeWhole(file, text);
  return file;
}

/** Null: nothing to agree to. Files of an unknown program are named by hand, never by an answer. */
function stakeOf(name: string, configuration: Configuration): { preset: string; shown: string } | null {
  const settings = namedAgent(name, configuration);
  if (settings?.preset === undefined) return null;
  const { auth } = resolveAgent(name, settings);
  if (unagreedFiles(auth, configuration).length === 0) return null;
  return { preset: settings.preset, shown: loginAtStake(name, auth) };
}
