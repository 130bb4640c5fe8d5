import type { Finding } from "../finding.js";
import { shownPath } from "../git/records.js";
import { folded } from "../names.js";
import { arriving, finding, type GateInput } from "./gate-input.js";

const DRIVER = /^(filter|merge|diff)=(.+)$/;
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  filter: [],
  merge: ["text", "binary", "union"],
  diff: [
    "ada",
    "bash",
    "bibtex",
    "cpp",
    "csharp",
    "css",
    "dts",
    "elixir",
    "fortran",
    "fountain",
    "golang",
    "html",
    "ini",
    "java",
    "kotlin",
    "markdown",
    "matlab",
    "objc",
    "pascal",
    "perl",
    "php",
    "python",
    "ruby",
    "rust",
    "scheme",
    "tex",
  ],
};

export const isAttributes = (text: string) => folded(text.slice(text.lastIndexOf("/") + 1)) === ".gitattributes";

/** Attributes that name a driver make the user's own git run it. Lines that stood there before are the user's own. */
export function attributeGate(input: GateInput): Finding[] {
  return arriving(input)
    .filter(({ path }) => isAttributes(shownPath(path)))
    .flatMap(({ path, from, to }) => {
      const before = new Set(linesOf(input.contents.get(from.oid)));
      const after = input.contents.get(to.oid);
      if (after === undefined) return [finding("attributes", path, "the attributes could not be read")];
      const named = linesOf(after)
        .filter((line) => !before.has(line))
        .flatMap((line) => line.split(/\s+/).slice(1))
        .filter(namesDriver);
      return named.length === 0 ? [] : [finding("attributes", path, `names a driver: ${named.slice(0, 5).join(", ")}`)];
    });
}

function namesDriver(token: string): boolean {
  const match = DRIVER.exec(token);
  return match !== null && !(BUILT_IN[match[1] ?? ""] ?? []).includes(match[2] ?? "");
}

function linesOf(content: Buffer | undefined): string[] {
  const lines = content?.toString("utf8").split(/\r?\n/) ?? [];
  // A pattern in quotes may hold blanks; what follows it counts as attributes either way.
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}
