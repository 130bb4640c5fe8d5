import { loadConfiguration } from "../../hands/settings/load-configuration.js";
import { waitingFor } from "../../hands/settings/trust/trust-status.js";
import { findRoot } from "./state-folder.js";
import { agreeTo, linesForTrust } from "./trust.js";

/**
 * Before a run: the one question about what the project reaches beyond itself.
 *
 * Contract: nothing is remembered without a yes; whoever says no goes on without it.
 */
export async function trustHere(
  cwd: string,
  env: NodeJS.ProcessEnv,
  now: string,
  ask: ((shown: string) => Promise<boolean>) | null,
): Promise<void> {
  if (ask === null) return;
  const { trust, problems } = await loadConfiguration(findRoot(cwd), env);
  const waiting = waitingFor(trust);
  if (problems.length > 0 || waiting.length === 0) return;
  if (await ask(linesForTrust(trust).join("\n"))) await agreeTo(trust, waiting, env, now);
}
