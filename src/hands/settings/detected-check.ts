import { parse } from "yaml";
import { type Check, Check as CheckSchema } from "../../model/settings/check.js";

export interface DetectedCheck {
  readonly check: Check;
  /** Where it was seen. */
  readonly because: string;
  /** Other commands for the same thing, to be tried in this order where it does not run. */
  readonly instead?: readonly DetectedCheck[];
}

/** Access to a repository for detection. Paths are from its root; a missing file is null, a missing folder an empty list. */
export interface ProjectFiles {
  readonly read: (path: string) => Promise<string | null>;
  readonly list: (folder: string) => Promise<readonly string[]>;
}

/** `junit`: where its reports are, when it writes some that say more than what it prints. */
export function detectedCheck(
  name: string,
  kind: Check["kind"],
  run: string,
  because: string,
  junit?: string,
): DetectedCheck {
  const report = junit === undefined ? {} : { report: { format: "junit", file: junit } };
  return { check: CheckSchema.parse({ name, kind, run, ...report }), because };
}

/** A manifest in JSON, with comments where its program allows them; null when it is not there or cannot be read. */
export function manifestOf<T extends object>(text: string | null, comments = false): Partial<T> | null {
  if (text === null) return null;
  try {
    // YAML reads JSON with commas too many; comments of JSON are taken away before.
    const value: unknown = comments ? parse(text.replaceAll(/^\s*\/\/.*$|\/\*[^*]*\*\//gm, "")) : JSON.parse(text);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}
