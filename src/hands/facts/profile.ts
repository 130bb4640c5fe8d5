import type { Fact } from "../../model/settings/packs.js";
import { dependencyNames } from "./dependency-names.js";
import { kindOfFile } from "./file-kinds.js";
import { FRAMEWORKS } from "./frameworks.js";
import type { Git } from "./git.js";
import { findPlaces } from "./find-places.js";
import { testCommands } from "./test-commands.js";
import { listTree, type TreeFile } from "./tree.js";

/*
 * The profile of a repository: where its source, tests and pages are, what it is built with, who owns what and where it
 * changes most. Everything follows from one commit, so the same commit always gives the same profile.
 */

export type Profile = Readonly<Record<string, Fact>>;

/** The names of all facts a profile may hold. */
export const PROFILE_FACTS = [
  "source_places",
  "beside_places",
  "test_places",
  "docs_places",
  "news_places",
  "manifests",
  "build_files",
  "packages",
  "pipeline_places",
  "infrastructure_places",
  "migration_places",
  "frameworks",
  "test_commands",
  "owners",
  "most_changed",
  "file_count",
  "source_bytes",
  "source_files",
  "source_folders",
] as const;

const MOST_MANIFESTS = 12;
const MOST_COMMITS = 500;
const MOST_CHANGED = 20;
const MOST_OWNERS = 200;
/** A repository with more is described by its folders, and one with more of those not at all: such a pack is too long to read. */
const MOST_NAMES = 300;
const OWNER_FILES = ["CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS"];

/** Contract: nothing is changed or run; null when there is no commit to look at. An unknown fact is left out. */
export async function profileCommit(git: Git, commit: string): Promise<Profile | null> {
  const files = await listTree(git, commit);
  if (files === null) return null;
  const places = findPlaces(files);
  const manifests = files
    .map(({ path }) => path)
    .filter((path) => path.split("/").length <= 3 && kindOfFile(path) === "manifest" && dependencyNames(path) !== null)
    .slice(0, MOST_MANIFESTS);
  const texts = await Promise.all(manifests.map((path) => git("cat-file", "blob", `${commit}:${path}`)));
  const dependencies = new Set(
    manifests.flatMap((path, at) =>
      [...(dependencyNames(path)?.(texts[at] ?? "") ?? [])].map((name) => name.toLowerCase()),
    ),
  );
  const tree = `git://${commit}`;
  const facts: Record<string, Fact> = {
    file_count: { value: files.length, evidence_ref: tree },
    source_bytes: { value: places.sourceBytes, evidence_ref: tree },
  };
  const tell = (name: (typeof PROFILE_FACTS)[number], value: readonly string[], evidence_ref = tree) => {
    if (value.length > 0) facts[name] = { value: value.map((line) => line.slice(0, 1000)), evidence_ref };
  };
  tell("source_places", places.source);
  tell("beside_places", places.beside);
  tell("news_places", places.news);
  tell("build_files", places.builds);
  tell("packages", places.packages);
  const { sourceFiles } = places;
  const folders = [...new Set(sourceFiles.map((path) => path.slice(0, Math.max(0, path.lastIndexOf("/")))))];
  if (sourceFiles.length <= MOST_NAMES) tell("source_files", sourceFiles);
  else if (folders.length <= MOST_NAMES)
    tell(
      "source_folders",
      folders.filter((folder) => folder !== ""),
    );
  tell("test_places", places.tests);
  tell("docs_places", places.docs);
  tell("manifests", places.manifests);
  tell("pipeline_places", places.pipelines);
  tell("infrastructure_places", places.infrastructure);
  tell("migration_places", places.migrations);
  tell(
    "frameworks",
    Object.keys(FRAMEWORKS)
      .filter((name) => dependencies.has(name))
      .map((name) => FRAMEWORKS[name] ?? name),
  );
  tell(
    "test_commands",
    testCommands(files, (path) => texts[manifests.indexOf(path)] ?? null, dependencies),
  );
  const owners = await ownersAt(git, commit, files);
  if (owners !== null) tell("owners", owners.lines, `repo://${owners.file}`);
  tell("most_changed", await mostChanged(git, commit), `git://${commit}/log`);
  return facts;
}

async function ownersAt(git: Git, commit: string, files: readonly TreeFile[]) {
  const paths = new Set(files.map(({ path }) => path));
  const file = OWNER_FILES.find((path) => paths.has(path));
  if (file === undefined) return null;
  const text = (await git("cat-file", "blob", `${commit}:${file}`)) ?? "";
  const lines = text
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*$/, "")
        .trim()
        .replaceAll(/\s+/g, " "),
    )
    .filter((line) => /^\S+ \S/.test(line) && !line.startsWith("["));
  return { file, lines: lines.slice(0, MOST_OWNERS) };
}

/** The files that changed in most of the last commits. */
async function mostChanged(git: Git, commit: string): Promise<string[]> {
  const log = await git(
    "log",
    "-z",
    `--max-count=${MOST_COMMITS}`,
    "--no-merges",
    "--no-renames",
    "--name-only",
    "--format=",
    commit,
  );
  const times = new Map<string, number>();
  for (const path of log?.split("\0") ?? []) if (path !== "") times.set(path, (times.get(path) ?? 0) + 1);
  return [...times]
    .filter(([, count]) => count > 1)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MOST_CHANGED)
    .map(([path]) => path);
}
