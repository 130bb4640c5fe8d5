import type { Finding, Gate } from "../finding.js";
import { type BytePath, type RawChange, shownPath, type Tree } from "../../git/records.js";

/** Input of the gates. */
export interface GateInput {
  readonly base: Tree;
  readonly tree: Tree;
  readonly changes: readonly RawChange[];
  readonly sizes: ReadonlyMap<BytePath, number>;
  /** Targets of links and contents of attribute files, by object id. */
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly write: readonly string[];
  readonly limits: ImportLimits;
}

export interface ImportLimits {
  readonly changedFiles: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly pathBytes: number;
  readonly treeEntries: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  changedFiles: 10_000,
  fileBytes: 100 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  pathBytes: 4096,
  treeEntries: 1_000_000,
};

export function makeFinding(gate: Gate, path: BytePath, detail: string): Finding {
  return { gate, path: shownPath(path), detail };
}

/** Selects changes that leave a file; a deletion brings nothing in. */
export const listArriving = ({ changes }: GateInput) => changes.filter(({ status }) => status !== "D");
