import type { Coordinator, Parts } from "./plan/planning.js";
import type { Project } from "./project/project.js";
import type { Report } from "./report.js";

/** The context of a command. It reads arguments and this, and nothing of the process. */
export interface CommandContext {
  /** Anyone who makes, proves and explains plans; loaded when a command asks for it. */
  readonly coordinator: () => Promise<Coordinator>;
  readonly parts: Parts;
  /** The project of `cwd`, opened once for this command. */
  readonly project: Project;
  /** The absolute path of the folder a command works in: relative paths are taken from it, and paths are shown relative to it. */
  readonly cwd: string;
  /** A person has approved beforehand what would be asked for. */
  readonly approved: boolean;
  /**
   * Present where runs go to a server of the same person when one serves the project, as for commands at a terminal. Says
   * which server works on the run that is being followed, null when this process does.
   */
  readonly server?: { following: string | null };
  /** A report as a person reads it, for a question that has to show it first. */
  readonly toText: (report: Report, columns?: number) => Promise<string>;
  /** Tell a person who watches what is being done; goes to stderr. */
  readonly progress: (message: string) => void;
  /** Tell a person at a terminal what is being done this moment, on a line that the next one takes the place of. */
  readonly working: (line: string | null) => void;
  /** Tell anyone who reads stderr and is at no terminal how far something is that takes long. */
  readonly note: (message: string) => void;
  /** Tell anyone who reads stderr what did not go as it should and stopped nothing. */
  readonly warn: (message: string) => void;
}
