import { makeFirstCommit, findMissingCommit, uncommittedFiles } from "./first-commit.js";
import type { RunEvent } from "../../model/event.js";
import type { StateFolder } from "../project/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { approveFirstCommit } from "../decide/approvals.js";
import type { RunArguments } from "./run-arguments.js";
import { currentUser } from "../decide/current-user.js";

/**
 * See to it that there is a commit to build on: that a person agreed to a first one, or why there is none to build on.
 * Contract: makes one only in an empty folder, and when it may.
 */
export async function readyRepository(
  { root }: StateFolder,
  { plan, mayCommit }: RunArguments,
  environment: NodeJS.ProcessEnv,
  context: CommandContext,
): Promise<Finished | RunEvent | null> {
  const { progress, approved } = context;
  const missing = await findMissingCommit(root, environment);
  if (missing === null) return null;
  const what = missing === "repository" ? "This folder is not a git repository" : "This repository has no commit";
  const files = await uncommittedFiles(root);
  if (files.length > 0)
    return fail(
      EXIT.invalid,
      "REPOSITORY_UNSUITABLE",
      `${what}, and there are files in it: ${files.slice(0, 3).join(", ")}`,
      {
        fix: `Agents see only what is committed. ${missing === "repository" ? "git init && " : ""}git add -A && git commit -m Begin`,
      },
    );
  const why = `${what}: a first, empty commit has to be made before anything is built`;
  const fix = `Agree to it: coordinator run --plan ${plan ?? "DIR"} --yes`;
  if (mayCommit !== true) return fail(EXIT.waiting, "FIRST_COMMIT", why, { fix });
  const commit = await makeFirstCommit(root, missing, environment);
  progress(`Made a first, empty commit: ${commit}`);
  return approveFirstCommit(currentUser(undefined, context.project), approved ? "yes" : "terminal", commit);
}
