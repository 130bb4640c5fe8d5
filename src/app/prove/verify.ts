import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CoordinatorError } from "../../model/errors.js";
import type { PlanVerification } from "../../mind/plan/verify-plan.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import type { VerifyLogArguments } from "./verify-run-log.js";

/**
 * Verifies by the kind of the argument: a folder is a plan, a file a tape, anything else the name of a run.
 *
 * Contract: changes nothing. Each failed proof is a finding in the outcome. Throws USAGE for options that the kind does
 * not have, and NOT_FOUND for what is not there.
 */
export async function verify(what: string, args: VerifyLogArguments, context: CommandContext): Promise<Finished> {
  const kind = await kindOf(what, context.cwd);
  if (kind === "plan" && (args.anchors.length > 0 || args.keys.length > 0))
    throw new CoordinatorError("USAGE", "--anchor and --key are for runs and tapes", {
      fix: "A plan proves itself: it is made again from its inputs.",
    });
  if (kind === "plan") return verifyFolder(what, context);
  const { verifyRunLog, verifyTape } = await import("./verify-run-log.js");
  context.progress(`Folding ${what} again …`);
  return kind === "tape"
    ? verifyTape(what, args, context)
    : verifyRunLog(what, args, context, async (folder) => verifyOrMissManifest(folder, context));
}

async function kindOf(what: string, cwd: string): Promise<"plan" | "tape" | "run"> {
  const found = await stat(resolve(cwd, what)).catch(() => null);
  if (found !== null) return found.isDirectory() ? "plan" : "tape";
  return what === "last" || /^(?:run|req)_/.test(what) ? "run" : "plan";
}

async function verifyFolder(folder: string, context: CommandContext): Promise<Finished> {
  context.progress(`Making the plan in ${folder} again from its inputs …`);
  const verification = await verifyOrMissManifest(folder, context);
  return finish(verification.passed ? EXIT.done : EXIT.unverified, { type: "verification", folder, verification });
}

/** A folder that lost its manifest is a plan that does not verify; a folder that is not there is a wrong name. */
async function verifyOrMissManifest(folder: string, { coordinator, cwd }: CommandContext): Promise<PlanVerification> {
  try {
    return await (await coordinator()).verify(folder);
  } catch (error) {
    if (
      !(error instanceof CoordinatorError) ||
      error.code !== "PLAN_NOT_FOUND" ||
      !(await isFolder(resolve(cwd, folder)))
    )
      throw error;
    const detail = "manifest.json is missing";
    return { passed: false, checks: [{ name: "manifest", passed: false, detail }], manifest: null, difference: null };
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
