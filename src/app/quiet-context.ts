import type { ReadBytes } from "../foundation/files/read-once.js";
import type { FoldCache } from "./inspect/fold-cache.js";
import type { CommandContext } from "./command-context.js";

/** The parts of a context without a terminal. */
export interface QuietPlace {
  /** The absolute path of the folder to work in. */
  readonly cwd: string;
  /** A copy that belongs to the context: what names programs of the project is taken out of it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly approved: boolean;
  /** Receives progress, one line each; nothing is reported when absent. */
  readonly progress?: (message: string) => void;
  readonly warn?: (message: string) => void;
  /** As ProjectPlace has them. */
  readonly read?: ReadBytes;
  readonly folds?: FoldCache;
}

/** A context without a terminal, for the library and the server: nobody is asked, and nothing is printed. */
export async function quietContext(place: QuietPlace): Promise<CommandContext> {
  const [{ defaultParts }, { keepProjectOut }, { openProject }] = await Promise.all([
    import("./default-parts.js"),
    import("./project/own-environment.js"),
    import("./project/project.js"),
  ]);
  const { cwd, environment, approved, progress = () => undefined, warn = () => undefined, read, folds } = place;
  const parts = defaultParts(cwd);
  keepProjectOut(environment, cwd);
  return {
    parts,
    project: openProject({ cwd, environment, now: parts.now, folds, ...(read === undefined ? {} : { read }) }),
    cwd,
    coordinator: async () => (await import("./compose.js")).compose(parts),
    approved,
    toText: async () => "",
    progress,
    working: () => undefined,
    note: () => undefined,
    warn,
  };
}
