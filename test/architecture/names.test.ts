import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/* Names and comments that anybody can read who has never seen this repository. */

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Participles that do not end in "ed", in the forms that functions were once named by. */
const IRREGULAR =
  "begun|bound|broken|built(?!In[A-Z])|chosen|done|drawn|found|given|gone|heard|held|kept|known|lost|made|meant|met|proven|said|" +
  "seen|sent|shown|spent|spoken|taken|told|undone|unproven|unread|unseen|understood|worn|written";

/** A bare participle or adjective, alone or before a preposition: `heldBy`, `recorded`, `waivable`. It says of nothing what it does. */
const BARE = new RegExp(
  `^(?:(?!embed|exceed|feed|need|proceed|seed|shed|speed|succeed)[a-z]+ed|[a-z]+[ai]ble|${IRREGULAR})` +
    "(?:(?:Again|Alike|Along|Among|As|At|Before|Beside|Between|By|Earlier|First|For|From|In|Of|On|Over|SoFar|To|Under|With)(?:[A-Z]\\w*)?)?$",
);

/** Verbs and nouns that only look like adjectives, and a command of that name. */
const VERBS = new Set(["sed", "enable", "disable", "assemble", "table", "tableOf", "tableOfBars"]);

/** Declared functions, constants that are arrow functions and private methods, at any depth. */
function functionsOf(text: string): string[] {
  const declared = text.matchAll(/^[ \t]*(?:export )?(?:default )?(?:async )?function\*? (\w+)/gm);
  const assigned = text.matchAll(
    /^[ \t]*(?:export )?(?:const|let) (\w+)(?:: (?:\([^)]*\) => [^=\n]+|[^=\n]+))? = (?:async )?(?:<[^>]+>)?(?:\((?:[^()]|\([^()]*\))*\)|\w+)(?:: [^=\n]+)?\s*=>/gm,
  );
  const methods = text.matchAll(
    /^[ \t]+(?:static )?(?:async )?\*?#(\w+)(?:<[^>]+>)?\((?:[^()]|\([^()]*\))*\)[^;{\n]* \{/gm,
  );
  return [...declared, ...assigned, ...methods].map(([, name]) => name as string);
}

describe("names of functions", () => {
  it("are verbs or say what they give: none is a bare participle or adjective", () => {
    const files = ["src", "web/src", "scripts", "bench"].flatMap(codeBelow).filter((path) => !path.includes(".test."));
    const bare = files.flatMap((path) =>
      functionsOf(readFileSync(path, "utf8")).flatMap((name) =>
        BARE.test(name) && !VERBS.has(name) ? [`${path.slice(root.length)}: ${name}`] : [],
      ),
    );
    expect(bare).toEqual([]);
  });

  it("are told apart by this test", () => {
    const text =
      "export function heldBy(a: A): B {\nasync function recorded() {\nconst waivable = (x: X): boolean => x;\nfunction readFeed() {\n" +
      "  let bound: (to: A) => void = () => undefined;\n    function done() {}\n  const fitted = (\n    a: A,\n  ) =>\n" +
      "  async #taken(at: A): Promise<void> {\n    this.#lost(1);\n";
    const all = ["heldBy", "recorded", "readFeed", "done", "waivable", "bound", "fitted", "taken"];
    expect(functionsOf(text)).toEqual(all);
    expect(all.filter((name) => !BARE.test(name))).toEqual(["readFeed"]);
  });
});

/** Comments as running text, without their marks. */
function commentsOf(text: string): string[] {
  const found = text.matchAll(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/[^\n]*\n)+/gm);
  return [...found].map(([comment]) =>
    comment
      .replace(/^\s*(?:\/\*+|\/\/)\s*/, "")
      .replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s?/g, " ")
      .trim(),
  );
}

/** A sentence begins with its noun; "whoever" names nobody. */
const RIDDLE = /(?:^|[.!?:] )(?:What|Whoever|Those|The same)\b[^.]*|\b[Ww]hoever\b[^.]*/g;

function codeBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && !path.includes("node_modules"));
}

describe("comments", () => {
  it("name their noun", () => {
    const riddles = ["src", "web/src", "scripts", "bench"]
      .flatMap(codeBelow)
      .flatMap((path) =>
        commentsOf(readFileSync(path, "utf8")).flatMap((comment) =>
          [...comment.matchAll(RIDDLE)].map(([sentence]) => `${path.slice(root.length)}: ${sentence}`),
        ),
      );
    expect(riddles).toEqual([]);
  });

  it("are read whole by this test", () => {
    const text = "/**\n * A file. What\n * it holds is read.\n */\nconst a = 1; \n  // For whoever asks.\nb();\n";
    expect(commentsOf(text).flatMap((comment) => comment.match(RIDDLE) ?? [])).toEqual([
      ". What it holds is read",
      "whoever asks",
    ]);
  });
});
