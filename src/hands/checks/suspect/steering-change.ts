import { posix } from "node:path";
import type { FileChange } from "./examined.js";
import { parsePackage, steeringPart } from "./package-scripts.js";
import { isSameCode, withoutComments } from "./source-code.js";
import type { Steer } from "./steering-files.js";
import { isSteeringSection } from "./tools.js";

/* Whether a change of a file that steers checks changes how it steers them. */

/** Contract: true only where it can be known that no check is steered otherwise than before. */
export function steersTheSame({ path, before, after }: FileChange, { scripts, tools }: Steer): boolean {
  const name = posix.basename(path);
  if (name === "package.json") return isSamePackage(before, after, scripts);
  if (SHARED.has(name)) return steeringSections(before ?? "", tools) === steeringSections(after ?? "", tools);
  if (name === "go.mod" || name === "go.work") return replacements(before ?? "") === replacements(after ?? "");
  if (name === "pom.xml") return withoutDependencies(before ?? "") === withoutDependencies(after ?? "");
  if (before === null || after === null) return false;
  return isSameCode(path, before, after);
}

/** Files that hold settings of many tools and of the package itself. */
const SHARED = new Set(["pyproject.toml", "setup.cfg", "tox.ini", "Cargo.toml"]);

function isSamePackage(before: string | null, after: string | null, scripts: ReadonlySet<string>): boolean {
  const [from, to] = [parsePackage(before ?? "{}"), parsePackage(after ?? "{}")];
  // A file that cannot be read may say anything.
  if (from === null || to === null) return false;
  return canonicalText(steeringPart(from, scripts)) === canonicalText(steeringPart(to, scripts));
}

function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** The sections that steer a check, in the order of their names, without comments and blank lines. */
function steeringSections(text: string, tools: ReadonlySet<string>): string {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of withoutComments("x.toml", text).split("\n")) {
    const [, name] = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*$/.exec(line) ?? [];
    if (name !== undefined) {
      lines = sections.get(name) ?? [];
      sections.set(name, lines);
    } else if (line.trim() !== "") lines.push(line.trim().replaceAll(/\s+/g, " "));
  }
  const steering = [...sections].filter(([name]) => isSteeringSection(name.replaceAll(/["']/g, ""), tools));
  return JSON.stringify(steering.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A module that is replaced by another one is what tests run against. */
function replacements(text: string): string {
  const code = withoutComments("x.go", text);
  const blocks = [...code.matchAll(/^\s*replace\s*(?:\(([^)]*)\)|(.*))$/gm)];
  return JSON.stringify(blocks.flatMap(([, many, one]) => (many ?? one ?? "").split("\n").map((line) => line.trim())));
}

function withoutDependencies(text: string): string {
  return withoutComments("x.xml", text)
    .replaceAll(/<dependenc(?:y|ies)>[\s\S]*?<\/dependenc(?:y|ies)>/g, "")
    .replaceAll(/<version>[^<]*<\/version>/g, "")
    .replaceAll(/\s+/g, " ");
}
