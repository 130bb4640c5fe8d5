import { listWaiting } from "../../hands/settings/trust/trust-status.js";
import type { Project } from "./project.js";
import { agreeTo, linesForTrust } from "./trust.js";

/**
 * Before a run: the one question about what the project reaches beyond itself.
 *
 * Contract: nothing is remembered without a yes; anyone who says no goes on without it.
 */
export async function trustHere(project: Project, ask: ((shown: string) => Promise<boolean>) | null): Promise<void> {
  if (ask === null) return;
  const { trust, problems } = await project.settings();
  const waiting = listWaiting(trust);
  if (problems.length > 0 || waiting.length === 0) return;
  if (!(await ask(linesForTrust(trust).join("\n")))) return;
  await agreeTo(trust, waiting, project.environment, project.now());
  // The shown settings are used from here on: the files are not read again.
  await project.judgeAgain();
}
