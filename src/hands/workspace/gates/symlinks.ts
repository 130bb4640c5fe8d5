import type { Finding } from "../finding.js";
import { type BytePath, shownPath, type Tree } from "../../git/records.js";
import { leadsIntoGit } from "../git-names.js";
import { makeFinding, type GateInput } from "./gate-input.js";

const LINK = "120000";
const MOST_HOPS = 40;

type Targets = ReadonlyMap<BytePath, BytePath>;
type Where = "inside" | "absolute" | "outside" | "git" | "loop";

const SAYS: Readonly<Record<Exclude<Where, "inside">, string>> = {
  absolute: "the link is absolute",
  outside: "the link leads out of the repository",
  git: "the link leads into a git directory",
  loop: "the link leads round in a circle",
};

/**
 * Every link stays inside. All of them are looked at, not only those that changed: a new link can turn an old one that
 * leads through it. A link that led out before and was not touched is the user's own.
 */
export function symlinkGate(input: GateInput): Finding[] {
  const changed = new Set(input.changes.map(({ path }) => path));
  const touchesLinks = input.changes.some(({ from, to }) => from.mode === LINK || to.mode === LINK);
  if (!touchesLinks) return [];
  const now = targetsOf(input.tree, input);
  const before = targetsOf(input.base, input);
  return [...now.keys()].flatMap((path) => {
    const where = followLinks(path, now);
    if (where === "inside") return [];
    if (!changed.has(path) && followLinks(path, before) === where) return [];
    return [makeFinding("symlink", path, SAYS[where])];
  });
}

function targetsOf(tree: Tree, { contents }: GateInput): Targets {
  const links = [...tree].filter(([, { mode }]) => mode === LINK);
  // A link whose target is unknown cannot be followed: it counts as leading out.
  return new Map(links.map(([path, { oid }]) => [path, contents.get(oid)?.toString("latin1") ?? "/"]));
}

/** Contract: follows links as a file system does, one part of the path after another, inside of the tree alone. */
function followLinks(path: BytePath, targets: Targets): Where {
  const at: BytePath[] = path.split("/").slice(0, -1);
  const left = (targets.get(path) ?? "").split("/").reverse();
  if (targets.get(path)?.startsWith("/") === true) return "absolute";
  for (let hops = 0; left.length > 0;) {
    const segment = left.pop() ?? "";
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      if (at.pop() === undefined) return "outside";
      continue;
    }
    at.push(segment);
    const here = at.join("/");
    if (leadsIntoGit(shownPath(here))) return "git";
    const target = targets.get(here);
    if (target === undefined) continue;
    if (++hops > MOST_HOPS) return "loop";
    if (target.startsWith("/")) return "absolute";
    at.pop();
    left.push(...target.split("/").reverse());
  }
  return "inside";
}
