import type { Finding } from "../finding.js";
import { shownPath } from "../../git/records.js";
import { foldName } from "../git-names.js";
import { listArriving, makeFinding, type GateInput } from "./gate-input.js";

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

// Blanks as git reads them and no others: a line it reads as a pattern must not pass for a comment here.
const BLANKS = /[ \t\r]+/;
const AROUND = /^(?:\uFEFF)?[ \t\r]+|[ \t\r]+$/g;

export const isAttributes = (text: string) => foldName(text.slice(text.lastIndexOf("/") + 1)) === ".gitattributes";

/** Attributes that name a driver make the user's own git run it. Lines that stood there before are the user's own. */
export function attributeGate(input: GateInput): Finding[] {
  const macros = driverMacros(input);
  return listArriving(input)
    .filter(({ path }) => isAttributes(shownPath(path)))
    .flatMap(({ path, from, to }) => {
      const before = new Set(linesOf(input.contents.get(from.oid)));
      const after = input.contents.get(to.oid);
      if (after === undefined) return [makeFinding("attributes", path, "the attributes could not be read")];
      const named = linesOf(after)
        .filter((line) => !before.has(line))
        .flatMap((line) => line.split(BLANKS).slice(1))
        .filter((token) => namesDriver(token) || macros.has(token));
      return named.length === 0
        ? []
        : [makeFinding("attributes", path, `names a driver: ${named.slice(0, 5).join(", ")}`)];
    });
}

/** Attributes of the user's own that stand for a driver. Git reads them at the root of a repository only. */
function driverMacros({ tree, base, contents }: GateInput): ReadonlySet<string> {
  const roots = [tree, base].map((each) => contents.get(each.get(".gitattributes")?.oid ?? ""));
  const defined = roots.flatMap(linesOf).flatMap((line) => {
    const [name = "", ...tokens] = line.split(BLANKS);
    return name.startsWith("[attr]") && tokens.some(namesDriver) ? [name.slice("[attr]".length)] : [];
  });
  return new Set(defined);
}

function namesDriver(token: string): boolean {
  const match = DRIVER.exec(token);
  return match !== null && !(BUILT_IN[match[1] ?? ""] ?? []).includes(match[2] ?? "");
}

function linesOf(content: Buffer | undefined): string[] {
  const lines = content?.toString("utf8").split("\n") ?? [];
  // A pattern in quotes may hold blanks; what follows it counts as attributes either way.
  return lines.map((line) => line.replaceAll(AROUND, "")).filter((line) => line !== "" && !line.startsWith("#"));
}
