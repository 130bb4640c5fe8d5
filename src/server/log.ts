import { withoutSecrets } from "../foundation/files/known-secrets.js";

/*
 * The log of a server: one JSON object a line, with the ids of project, run, task and attempt. It says what happened and to
 * which of them, and never what was asked, answered or written: that stands in the logs of runs.
 */

const LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LEVELS)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface ServerLog {
  readonly level: LogLevel;
  readonly error: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly debug: (message: string, fields?: LogFields) => void;
}

export interface LogParts {
  readonly level: LogLevel;
  readonly now: () => string;
  readonly write: (line: string) => void;
}

/** Contract: a line is written whole, without secrets and without line breaks; nothing above the level is even made. */
export function createLog({ level, now, write }: LogParts): ServerLog {
  const at = (of: Exclude<LogLevel, "silent">) => {
    if (LEVELS.indexOf(of) > LEVELS.indexOf(level)) return () => undefined;
    return (message: string, fields: LogFields = {}) => {
      write(`${JSON.stringify(withoutSecrets({ time: now(), level: of, message, ...fields }))}\n`);
    };
  };
  return { level, error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

/** Whether lines of this level are written. */
export function isLogged({ level }: ServerLog, of: LogLevel): boolean {
  return LEVELS.indexOf(of) <= LEVELS.indexOf(level);
}
