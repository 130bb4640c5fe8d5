import { loadConfiguration } from "../../hands/settings/load-configuration.js";

/**
 * For commands that write down what somebody said and need no settings: the keys that settings name are known then.
 *
 * Contract: settings that cannot be read are not a reason not to take a decision.
 */
export async function keysOfSettings(root: string, environment: NodeJS.ProcessEnv): Promise<void> {
  await loadConfiguration(root, environment).catch(() => undefined);
}
