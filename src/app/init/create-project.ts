import { join, resolve } from "node:path";
import { makeFirstCommit } from "../run/first-commit.js";
import { readdir } from "../../foundation/files/read-files.js";
import { intake } from "../../mind/intake/intake.js";
import { CREATE_PROJECT, type RequestAnswer } from "../../model/request-origin.js";
import { reviewersPart } from "../../hands/settings/draft-configuration.js";
import type { UserRequest } from "../../model/request.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { readHarmModel } from "../learned/harm-model.js";
import { readIntakePolicy } from "../request/intake.js";
import { currentUser } from "../decide/current-user.js";
import { writeNew } from "../project/write-file.js";

/* A request for a new project names where it is to stand. Nothing is made there before a person has said so. */

export interface Creating {
  /** Whether it was said beforehand, with --create or --yes. */
  readonly given: boolean;
  /** Null when nobody can be asked. */
  readonly ask: ((shown: string) => Promise<boolean>) | null;
  readonly by: string | undefined;
  /** The command that asks again, for the person. */
  readonly again: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Make the folder of a new project with a repository and a first, empty commit, when a person agrees: the answer that is
 * logged, or why it was not made. Null when the folder is there, or when the request is not for a new project.
 */
export async function createProject(
  path: string,
  request: UserRequest,
  { given, ask, by, again, environment }: Creating,
  context: CommandContext,
): Promise<RequestAnswer | Finished | null> {
  const { parts, progress, cwd } = context;
  const folder = resolve(cwd, path);
  if (await isThere(folder)) return null;
  const policy = await readIntakePolicy(undefined, cwd);
  if (!policy.ok) return null;
  const judged = intake(policy.value, request, undefined, { harm: await readHarmModel() });
  if (judged.decision !== "approved" || judged.approach !== "new_project") return null;
  const question = `There is no folder ${path}. Create it, with a git repository, a first, empty commit, and you as reviewer?`;
  const agreed = given || (ask !== null && (await ask(question)));
  if (!agreed)
    return fail(EXIT.waiting, "PROJECT_NOT_CREATED", `There is no folder ${path}, and nobody said to create it`, {
      fix: `${again} --create makes it, with a git repository, a first, empty commit, and you as reviewer.`,
    });
  const commit = await makeFirstCommit(folder, "repository", environment);
  const decider = { by: currentUser(by, context.project), how: "person", via: given ? "yes" : "terminal" } as const;
  await writeNew(join(folder, "coordinator.yaml"), `${reviewersPart(decider.by)}\n`);
  progress(`Created ${path} with a repository, a first, empty commit (${commit}), and ${decider.by} as reviewer`);
  return {
    id: CREATE_PROJECT,
    question,
    answer: `yes: ${commit}`,
    decider,
    at: parts.now(),
  };
}

/** Whether something is there; entering it refuses what is not a folder. */
async function isThere(path: string): Promise<boolean> {
  try {
    await readdir(path);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
