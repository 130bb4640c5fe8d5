import { guardServed, openServedProject, reopenServed, type ServedProject } from "../app/serve/served-project.js";
import type { CommandContext } from "../app/command-context.js";

/** Open the project for a call of a command. Contract: throws CoordinatorError where it cannot be, or the contract forbids it. */
export type OpenProject = (command: string) => Promise<CommandContext>;

/** The project at `cwd`, opened when it is first needed: a client is told what is wrong with it by the tool it calls. */
export function projectOpener(
  cwd: string,
  environment: NodeJS.ProcessEnv,
  warn: (message: string) => void,
): OpenProject {
  let opened: ServedProject | null = null;
  return async (command) => {
    opened ??= await openServedProject(".", { cwd, environment });
    const now = reopenServed(opened);
    await guardServed(now, command);
    // INVARIANT: nothing counts as approved beforehand, whatever this program was started with.
    return { ...now.context, approved: false, server: { following: null }, warn };
  };
}
