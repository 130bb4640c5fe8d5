import type { BytePath } from "../git/records.js";

/*
 * Names git refuses to have in a tree, and names that are one and the same on some file systems.
 */

// Characters that HFS+ ignores when it compares names.
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** A name as the most forgiving file system reads it. */
export function foldName(text: string): string {
  return text.replace(UNSEEN, "").normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** `.git` under any of the names that some file system takes for it. */
function isDotGit(segment: string): boolean {
  const plain = foldName(segment)
    .replace(/[:].*$/, "")
    .replace(/[. ]+$/, "");
  return plain === ".git" || /^git~\d+$/.test(plain);
}

const PLAIN = /^[ -~]*$/;

/** Whether the path leads into a repository's own files, whatever they are called here. */
export function leadsIntoGit(text: string): boolean {
  // Nearly every path is plain and has no such letters in it.
  if (PLAIN.test(text) && !/git/i.test(text)) return false;
  return text.split(/[/\\]/).some(isDotGit);
}

const DOT_GITMODULES = /^(\.gitmodules|gitmod~\d+|gi7[0-9a-f]{0,3}.*~\d+)$/;

/** Contract: true for every path that git's index refuses. Text is the path as people read it. */
export function gitRefuses(text: string, kind: "file" | "symlink"): boolean {
  if (leadsIntoGit(text)) return true;
  if (kind === "file") return false;
  return text.split(/[/\\]/).some((segment) =>
    DOT_GITMODULES.test(
      foldName(segment)
        .replace(/[:].*$/, "")
        .replace(/[. ]+$/, ""),
    ),
  );
}

export function isUtf8(path: BytePath): boolean {
  return Buffer.from(Buffer.from(path, "latin1").toString("utf8"), "utf8").toString("latin1") === path;
}
