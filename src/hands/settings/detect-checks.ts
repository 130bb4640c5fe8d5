import { fromBuildFiles, fromShell } from "./detect-by-tool.js";
import { type CiCommand, ciCommands } from "./checks/ci-commands.js";
import { fromC, fromCiScripts, fromGo, fromRust } from "./checks/compiled.js";
import { fromMake, fromTaskRunners } from "./checks/make.js";
import { filesBelow, nestedPackages } from "./checks/nested.js";
import { fromNode, workspaceFolders } from "./checks/node.js";
import { fromPython } from "./checks/python.js";
import type { DetectedCheck, ProjectFiles } from "./detected-check.js";

export type { DetectedCheck, ProjectFiles } from "./detected-check.js";

/*
 * The checks a project already has, told from its CI and its manifests, for every language and package of the
 * repository. Nothing is run to find them: the person who asks runs them, and takes the first way that works.
 */

export async function detectChecks(files: ProjectFiles): Promise<DetectedCheck[]> {
  const ci = await ciCommands(files);
  const found = await checksIn(files, ci, ".");
  const ofWorkspace = new Set(await workspaceFolders(files));
  for (const { folder, manifests } of await nestedPackages(files)) {
    // Packages of the root's workspace are run from the root.
    if (manifests.every((name) => name === "package.json") && ofWorkspace.has(folder)) continue;
    if (await isPartOfRoot(files, folder, manifests)) continue;
    found.push(...(await checksIn(filesBelow(files, folder), ci, folder)).map((each) => within(folder, each)));
  }
  return unique(found).slice(0, MOST_CHECKS);
}

const MOST_CHECKS = 40;

async function checksIn(files: ProjectFiles, ci: readonly CiCommand[], folder: string): Promise<DetectedCheck[]> {
  const here = ci.filter((command) => command.folder === folder);
  const made = [...(await fromTaskRunners(files, here)), ...(await fromMake(files, here))];
  const scripts = [...(await fromCiScripts(files, here)), ...(folder === "." ? await scriptsBelow(files, ci) : [])];
  const isTest = ({ check }: DetectedCheck) => check.kind === "test";
  const found = [
    ...(await fromNode(files, here)),
    ...(await fromPython(files, here)),
    ...(await fromGo(files, here)),
    ...(await fromRust(files, here)),
    ...(await fromBuildFiles(files)),
    ...(folder === "." ? await fromC(files, [...scripts, ...made].filter(isTest)) : []),
  ];
  if (found.some(isTest) || (found.length > 0 && folder !== ".")) return found;
  // A project that names no tests in its manifests says in another place how it is tested.
  const kinds = new Set<string>(found.map(({ check }) => check.kind));
  const more = [...made, ...scripts].filter(({ check }) => !kinds.has(check.kind));
  return more.length > 0 || found.length > 0 ? [...found, ...more] : fromShell(files);
}

/** Scripts that the CI calls in folders that are not packages. */
async function scriptsBelow(files: ProjectFiles, ci: readonly CiCommand[]): Promise<DetectedCheck[]> {
  const folders = [...new Set(ci.map(({ folder }) => folder))].filter((folder) => folder !== ".");
  for (const folder of folders) {
    const here = ci.filter((command) => command.folder === folder);
    const found = await fromCiScripts(filesBelow(files, folder), here);
    if (found.length > 0) return found.map((each) => within(folder, each, false));
  }
  return [];
}

/** Members of a workspace of Cargo or Maven are built and tested from its root. */
async function isPartOfRoot({ read }: ProjectFiles, folder: string, manifests: readonly string[]): Promise<boolean> {
  if (manifests.length !== 1) return false;
  const [manifest = ""] = manifests;
  const root = await read(manifest);
  if (root === null) return false;
  if (manifest === "Cargo.toml") return /^\[workspace/m.test(root) || !/^\[/m.test(root);
  if (manifest === "pom.xml") return /<modules>/.test(root);
  return manifest === "pyproject.toml" && /^\[tool\.uv\.workspace\]/m.test(root) && folder !== "";
}

function within(folder: string, { check, because, instead }: DetectedCheck, renamed = true): DetectedCheck {
  const name = renamed ? `${check.name}_${folder.split("/").at(-1) ?? folder}` : check.name;
  const file = check.report.file;
  const report = file === undefined ? check.report : { ...check.report, file: `${folder}/${file}` };
  return {
    check: { ...check, name, run: `cd ${quoteFolder(folder)} && ${check.run}`, report },
    because: because.startsWith(".") ? because : `${folder}/${because}`,
    ...(instead === undefined ? {} : { instead: instead.map((each) => within(folder, each, renamed)) }),
  };
}

const quoteFolder = (folder: string) =>
  /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", String.raw`'\\''`)}'`;

/** A repository of two languages has two tests; each check has a name of its own. */
function unique(found: readonly DetectedCheck[]): DetectedCheck[] {
  const names = new Set<string>();
  return found.map((each) => {
    let { name } = each.check;
    for (let n = 2; names.has(name); n++) name = `${each.check.name}_${n}`;
    names.add(name);
    return renameCheck(each, name);
  });
}

function renameCheck({ check, because, instead }: DetectedCheck, name: string): DetectedCheck {
  return {
    check: { ...check, name },
    because,
    ...(instead === undefined ? {} : { instead: instead.map((each) => renameCheck(each, name)) }),
  };
}
