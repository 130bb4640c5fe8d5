// Finds out the kind of a repository, and how the packages it names are installed by those who work on it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "./program.mjs";

const SIGNS = [
  ["Cargo.toml", "Rust"],
  ["go.mod", "Go"],
  ["pyproject.toml", "Python"],
  ["setup.py", "Python"],
  ["pom.xml", "Java"],
  ["Gemfile", "Ruby"],
  ["composer.json", "PHP"],
  ["package.json", "Node"],
  ["meson.build", "C"],
  ["CMakeLists.txt", "C"],
  ["Makefile", "make"],
];

export function kindOfRepository(folder) {
  const has = (name) => existsSync(join(folder, name));
  const found = [...new Set(SIGNS.filter(([file]) => has(file)).map(([, kind]) => kind))];
  const kind = found.find((each) => each !== "make" || found.length === 1) ?? "?";
  const named = kind === "make" ? "C" : kind;
  return isMonorepo(folder) ? `${named}, monorepo` : named;
}

function isMonorepo(folder) {
  const read = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
  const manifest = read("package.json");
  return (
    (manifest !== "" && JSON.parse(manifest).workspaces !== undefined) ||
    /^packages:/m.test(read("pnpm-workspace.yaml")) ||
    /^\[workspace\]/m.test(read("Cargo.toml")) ||
    /<modules>/.test(read("pom.xml"))
  );
}

/** Outside of any sandbox and with the network, as a developer has done it before. Gives what went wrong. */
export function installPackages(folder, project) {
  const command = commandFor(folder);
  if (command === null) return [];
  const [program, ...args] = command;
  try {
    const { code, stdout, stderr, seconds } = start(program, args, { cwd: folder, ...project });
    const said = `${command.join(" ")}: ${seconds.toFixed(0)} s`;
    if (code === 0) return [said];
    const error = `${stderr}\n${stdout}`.split("\n").find((line) => /err/i.test(line)) ?? "";
    return [`${said}, exit ${code}: ${error.trim().slice(0, 160)}`];
  } catch (error) {
    return [`${command.join(" ")}: ${error.message}`];
  }
}

function commandFor(folder) {
  const has = (name) => existsSync(join(folder, name));
  if (has("pnpm-lock.yaml")) return ["pnpm", "install", "--frozen-lockfile"];
  if (has("yarn.lock")) return ["yarn", "install"];
  if (has("package-lock.json")) return ["npm", "ci", "--no-audit", "--no-fund"];
  if (has("pnpm-workspace.yaml")) return ["pnpm", "install"];
  return has("package.json") ? ["npm", "install", "--no-audit", "--no-fund"] : null;
}
