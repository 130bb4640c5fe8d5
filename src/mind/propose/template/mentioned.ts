import type { FactPack } from "../../../model/settings/packs.js";
import { nameTokens } from "../../../foundation/text/said-names.js";
import { factStrings } from "./fact-strings.js";

/* Files and names that a request mentions by its facts, as far as a part of its text speaks of them. */

export interface NamedFile {
  readonly word: string;
  readonly path: string;
  /** As the profile calls it: source, test, page, news, manifest, build, pipeline or other. */
  readonly kind: string;
}

export interface Mentioned {
  readonly files: readonly NamedFile[];
  readonly stems: ReadonlyMap<string, readonly string[]>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
  readonly definitions: ReadonlyMap<string, readonly string[]>;
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
  readonly tests: ReadonlyMap<string, readonly string[]>;
}

/** Contract: pure. A part of a request is given only what its own words name. */
export function findMentioned(text: string, facts: FactPack | null): Mentioned {
  const tokens = nameTokens(text);
  const pairs = (name: string) => factStrings(facts, name).map((line) => line.split("\t"));
  const files = pairs("named_files").flatMap(([word = "", path = "", kind = ""]) =>
    tokens.has(word) && isPlain(path) ? [{ word, path, kind }] : [],
  );
  return {
    files,
    stems: groupMentions(pairs("named_stems"), (word) => tokens.has(word)),
    folders: groupMentions(pairs("named_folders"), (word) => tokens.has(word)),
    definitions: groupMentions(pairs("defined_names"), () => true),
    neighbours: groupMentions(pairs("file_neighbours"), () => true),
    tests: groupMentions(pairs("file_tests"), () => true),
  };
}

function groupMentions(
  pairs: readonly (readonly string[])[],
  speaks: (word: string) => boolean,
): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [word = "", path = ""] of pairs) {
    if (!speaks(word) || (path !== MANY && !isPlain(path))) continue;
    groups.set(word, [...(groups.get(word) ?? []), path]);
  }
  return groups;
}

/** In the place of a path: there are too many. */
export const MANY = "*";

/** A name that would be read as a pattern stands for other files too. */
function isPlain(path: string): boolean {
  return path !== "" && !/[*?{}[\]]/.test(path);
}
