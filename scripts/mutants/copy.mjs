// A copy of the project in a temporary folder, where one file at a time may be changed: source and built program.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { transformWithEsbuild } from "vite";
import { PROGRAMS } from "../bundle.mjs";
import { root } from "../steps.mjs";

const LEFT_OUT = new Set([".git", "node_modules"]);

/** The project as it is built now. Packages are linked, not copied; what Vite keeps among them is not shared. */
export async function makeCopy() {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-mutants-"));
  for (const name of readdirSync(root).filter((name) => !LEFT_OUT.has(name)))
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      filter: (path) => !LEFT_OUT.has(basename(path)),
    });
  linkPackages(folder);
  await unbundle(folder);
  rmSync(join(folder, "node_modules", ".vite"), { recursive: true, force: true });
  return {
    folder,
    apply: (mutant) => apply(folder, mutant),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

function linkPackages(folder) {
  const [from, to] = [join(root, "node_modules"), join(folder, "node_modules")];
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    // Another file system cannot be linked to.
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/** The programs load their modules one by one, so that a changed module is part of them. */
async function unbundle(folder) {
  for (const program of PROGRAMS)
    writeFileSync(join(folder, "dist", `${program}.js`), await compile(folder, `src/${program}.ts`));
}

/** Types are not checked: a mutant may leave a name unused. */
async function compile(folder, file, text = readFileSync(join(folder, file), "utf8")) {
  const options = { loader: "ts", target: "es2023", sourcemap: false };
  return (await transformWithEsbuild(text, join(folder, file), options)).code;
}

/** Changes the source and the built file that comes of it; gives what undoes both. */
async function apply(folder, { file, from, to }) {
  const source = join(folder, file);
  const built = join(folder, file.replace(/^src\//, "dist/").replace(/\.ts$/, ".js"));
  const before = { source: readFileSync(source, "utf8"), built: readFileSync(built, "utf8") };
  if (before.source.split(from).length !== 2) throw new Error(`${file} does not have this text exactly once: ${from}`);
  const changed = before.source.replace(from, () => to);
  writeBoth(changed, await compile(folder, file, changed));
  return () => writeBoth(before.source, before.built);

  function writeBoth(text, code) {
    writeFileSync(source, text);
    writeFileSync(built, code);
    // The program counts as built after the source was changed.
    const now = new Date(Date.now() + 1000);
    utimesSync(join(folder, "dist", "cli", "main.js"), now, now);
  }
}
