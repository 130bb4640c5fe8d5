import { createHash } from "node:crypto";

/*
 * Requests of a project that reach beyond it: a folder of the person's machine, a host, a program that runs with
 * the network or a login, their approval, their money. Each is one line that a person can read and agree to, and one content that is agreed to.
 */

type ReachKind =
  | "tool"
  | "mount"
  | "cache"
  | "folder"
  | "anchor"
  | "host"
  | "agent"
  | "model"
  | "server"
  | "policy_host"
  | "approval"
  | "price";

export interface Reach {
  readonly kind: ReachKind;
  /** The value it stands for in its file: a folder, a host, the name of an agent. */
  readonly name: string;
  /** Where it stands, such as `coordinator.yaml: workspace.tools`. */
  readonly where: string;
  /** In plain words, for a person to read. */
  readonly says: string;
  /** Exactly what is agreed to. */
  readonly content: unknown;
  /** Whether agreeing is enough; what only a person's own settings can allow; what nobody can have shown at all. */
  readonly allowedBy: "agreement" | "own_settings" | "nobody";
  /** Whether the person's own settings say the same already. */
  readonly isOwn: boolean;
}

/** Computes the id of a reach: equal content has an equal id, in any order of its keys. */
export function reachId({ kind, name, content }: Reach): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, name, sortKeys(content)]))
    .digest("hex");
}

/** One hash for everything that can be agreed to; null when there is nothing. */
export function trustHash(reaches: readonly Reach[]): string | null {
  const ids = [...new Set(reaches.filter(({ allowedBy }) => allowedBy === "agreement").map(reachId))].sort();
  if (ids.length === 0) return null;
  return `sha256:${createHash("sha256").update(ids.join("\n")).digest("hex")}`;
}

/**
 * A word of a project as a person can read it: on one line, without signs that a terminal acts on or that change the
 * direction of the text. Text that is not plain is quoted.
 */
export function describeWord(word: string): string {
  if (/^[\p{L}\p{N}@%+=:,./~{}[\]*_-]+$/u.test(word)) return word;
  return JSON.stringify(word).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function isSameContent(a: unknown, b: unknown): boolean {
  return JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([key, each]) => [key, sortKeys(each)]),
  );
}
