import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { detectSetup, proposeInstall } from "./detect-setup.js";

type Files = Readonly<Record<string, string>>;

/** A project as detection sees it. */
function projectOf(files: Files) {
  const list = async (folder: string) => {
    const below = Object.keys(files).flatMap((path) =>
      folder === "." ? [path] : path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
    );
    return [...new Set(below.map((path) => path.split("/")[0] as string))];
  };
  return { read: async (path: string) => files[path] ?? null, list };
}
const found = (files: Files) => detectSetup(projectOf(files));

const needing = (folder: string) => `  ${folder}:\n    dependencies:\n      a: { specifier: 1.0.0, version: 1.0.0 }\n`;

describe("a setup told from the lockfile of pnpm", () => {
  it("depends on every package of the workspace, and gets a store it may write to", async () => {
    const lock = `lockfileVersion: '9.0'\nimporters:\n  .: {}\n${needing("packages/core")}${needing("apps/web")}  docs: {}\n`;
    expect(await found({ "pnpm-lock.yaml": lock })).toMatchObject({
      tried: true,
      keeps: ["node_modules", "packages/core/node_modules", "apps/web/node_modules"],
      inputs: [
        "package.json",
        "pnpm-lock.yaml",
        "pnpm-workspace.yaml",
        "packages/core/package.json",
        "apps/web/package.json",
      ],
      caches: ["~/.local/share/pnpm/store", "~/.cache/pnpm", "~/.cache/node/corepack"],
    });
  });

  it("is none without packages, and still one where the lockfile cannot be read", async () => {
    expect(await found({ "pnpm-lock.yaml": "importers:\n  .: {}\n" })).toBeNull();
    const many = Array.from({ length: 90 }, (_, i) => needing(`packages/p${i}`)).join("");
    const setup = await found({ "pnpm-lock.yaml": `importers:\n${many}` });
    expect(setup?.keeps.length).toBeLessThanOrEqual(50);
    expect(setup?.inputs.length).toBeLessThanOrEqual(100);
    for (const lock of ["", "a: [", "lockfileVersion: 5.4\ndependencies:\n  a: 1.0.0\n"])
      expect(await found({ "pnpm-lock.yaml": lock })).toMatchObject({ keeps: ["node_modules"] });
  });
});

describe("a setup told from the lockfile of npm", () => {
  const lock = (...places: readonly string[]) => ({
    "package-lock.json": JSON.stringify({ packages: Object.fromEntries(places.map((at) => [at, { resolved: "r" }])) }),
  });

  it("keeps what a package of a workspace has for itself, and depends on the manifest of each", async () => {
    const places = ["", "packages/a", "node_modules/x", "node_modules/x/node_modules/y", "packages/a/node_modules/x"];
    expect(await found(lock(...places))).toMatchObject({
      keeps: ["node_modules", "packages/a/node_modules"],
      inputs: ["package.json", "package-lock.json", "packages/a/package.json"],
      caches: ["~/.npm"],
    });
    expect(await found(lock("", "node_modules/x"))).toMatchObject({ keeps: ["node_modules"] });
    expect(await found(lock(""))).toBeNull();
  });
});

describe("a build that an install starts", () => {
  const lock = JSON.stringify({ packages: { "packages/a": {}, "node_modules/x": {} } });
  const withPrepare = (script: string) => JSON.stringify({ scripts: { prepare: script } });

  it("is a command of its own, because it depends on the source", async () => {
    const member = { "package-lock.json": lock, "packages/a/package.json": withPrepare("npm run build") };
    expect(await found(member)).toMatchObject({
      run: "npm ci --offline --no-audit --no-fund",
      build: "npm run prepare --if-present --workspaces --include-workspace-root",
    });
    const own = { "package-lock.json": lock, "package.json": withPrepare("tsc") };
    expect((await found(own))?.build).toBe("npm run prepare --if-present");
    const pnpm = { "pnpm-lock.yaml": `importers:\n${needing(".")}`, "package.json": withPrepare("obuild") };
    expect((await found(pnpm))?.build).toBe("pnpm run --if-present prepare");
  });

  it("is none where the script puts hooks of git into place, or is not there", async () => {
    for (const script of ["husky", "husky install", "husky || true", "is-ci || husky install"])
      expect((await found({ "package-lock.json": lock, "package.json": withPrepare(script) }))?.build).toBeUndefined();
    expect((await found({ "package-lock.json": lock }))?.build).toBeUndefined();
    const both = { "package-lock.json": lock, "package.json": withPrepare("husky && npm run build") };
    expect((await found(both))?.build).toBe("npm run prepare --if-present");
  });
});

describe("a setup told from other files", () => {
  const manifest = JSON.stringify({ devDependencies: { ava: "^6" } });
  const rows: [string, Files, string][] = [
    ["package.json alone", { "package.json": manifest }, "npm install --offline --no-package-lock"],
    [
      "Yarn 1",
      { "package.json": manifest, "yarn.lock": "# yarn lockfile v1\n" },
      "yarn install --offline --frozen-lockfile",
    ],
    [
      "Yarn 4",
      { "yarn.lock": "__metadata:\n  version: 8\n" },
      "YARN_ENABLE_NETWORK=0 YARN_ENABLE_TELEMETRY=0 yarn install --immutable",
    ],
    [
      "Yarn in the repository",
      { "yarn.lock": "__metadata:\n  version: 8\n", ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-4.cjs\n" },
      "node .yarn/releases/yarn-4.cjs install --immutable",
    ],
    [
      "Yarn that is named with more than a path",
      { "yarn.lock": "__metadata:\n  version: 8\n", ".yarnrc.yml": "yarnPath: a.cjs; touch /tmp/harm #\n" },
      "YARN_ENABLE_NETWORK=0 YARN_ENABLE_TELEMETRY=0 yarn install --immutable",
    ],
    ["Bun", { "package.json": manifest, "bun.lock": "{}" }, "bun install --frozen-lockfile"],
    ["uv", { "pyproject.toml": "", "uv.lock": "" }, "uv sync --offline --frozen"],
    ["Poetry", { "pyproject.toml": "", "poetry.lock": "" }, "poetry install"],
    [
      "pip",
      { "pyproject.toml": '[build-system]\nbuild-backend = "flit_core.buildapi"\n' },
      "--no-build-isolation -e .",
    ],
    ["Go", { "go.mod": "module m\n\nrequire (\n\tgithub.com/a/b v1.0.0\n)\n", "go.sum": "" }, "GOPROXY=off go list"],
    ["Cargo", { "Cargo.toml": '[dependencies]\na = "1"\n', "Cargo.lock": "" }, "cargo fetch --offline --locked"],
    ["Maven", { "pom.xml": "<project/>" }, "mvn --offline"],
    ["Gradle", { "build.gradle.kts": "", gradlew: "" }, "./gradlew --offline"],
    ["Composer", { "composer.lock": "{}" }, "composer install"],
    ["Bundler", { Gemfile: "", "Gemfile.lock": "" }, "bundle install --local"],
  ];
  it.each(rows)("knows %s", async (_, files, command) => {
    expect((await found(files))?.run).toContain(command);
  });

  it("is none where there is nothing to install", async () => {
    expect(await found({ "package.json": "{}" })).toBeNull();
    expect(await found({ "go.mod": "module m\n\ngo 1.19\n" })).toBeNull();
    expect(await found({ "Cargo.toml": "[package]\nname = 'a'\n" })).toBeNull();
    expect(await found({ Makefile: "all:\n" })).toBeNull();
  });
});

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A machine on which these programs are installed, and these folders are there. */
function machineWith(programs: readonly string[], made: readonly string[] = []) {
  const home = mkdtempSync(join(tmpdir(), "coordinator-machine-"));
  folders.push(home);
  for (const program of programs) {
    const place = join(home, "bin", program);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, "#!/bin/sh\n");
    chmodSync(place, 0o755);
  }
  for (const folder of made) mkdirSync(join(home, folder), { recursive: true });
  return { home, path: join(home, "bin") };
}

describe("a repository with several kinds of packages", () => {
  const files = {
    "package-lock.json": JSON.stringify({ packages: { "node_modules/x": {} } }),
    "node_modules/x/package.json": "{}",
    "src/fetch/uv.lock": "",
    "src/fetch/pyproject.toml": "",
    "services/api/go.mod": "module m\n\nrequire github.com/a/b v1.0.0\n",
    "examples/one/package-lock.json": JSON.stringify({ packages: { "node_modules/y": {} } }),
    "_examples/two/package-lock.json": JSON.stringify({ packages: { "node_modules/y": {} } }),
  };

  it("is made ready by all of them that are used on this machine, each in its folder", async () => {
    const machine = machineWith(["npm", "uv", "go"], ["go/pkg/mod"]);
    const setup = await detectSetup(projectOf({ ...files, "src/fetch/.venv/pyvenv.cfg": "" }), machine);
    expect(setup?.run).toContain("npm ci --offline");
    expect(setup?.run).toContain("(cd src/fetch && uv sync --offline --frozen)");
    expect(setup?.run).toContain("(cd services/api && GOFLAGS=-mod=readonly GOPROXY=off go list");
    expect(setup?.run).not.toContain("examples");
    expect(setup?.keeps).toEqual(["node_modules", "src/fetch/.venv"]);
    expect(setup?.inputs).toContain("src/fetch/uv.lock");
    expect(setup?.programs).toEqual(["npm", "go", "uv"]);
  });

  it("is told what has to be installed outside first, and what program is missing for it", async () => {
    const machine = machineWith(["npm", "go"]);
    expect((await detectSetup(projectOf(files), machine))?.run).toBe("npm ci --offline --no-audit --no-fund");
    expect(await proposeInstall(projectOf(files), machine)).toEqual([
      {
        folder: "services/api",
        command: "go mod download",
        because:
          "services/api/go.mod: its packages have not been installed here, and inside the sandbox there is no network",
        makes: "the modules of go.mod in ~/go/pkg/mod",
      },
      {
        folder: "src/fetch",
        command: "uv sync --frozen",
        because: "src/fetch/uv.lock is for uv, which is not installed",
        makes: "the packages of the lockfile in ~/.cache/uv",
        missing: "uv",
      },
    ]);
  });

  it("without a lockfile is told to make one", async () => {
    const manifest = { "package.json": JSON.stringify({ dependencies: { a: "1" } }) };
    const [proposal] = await proposeInstall(projectOf(manifest), machineWith(["npm"]));
    expect(proposal).toMatchObject({ command: "npm install --ignore-scripts", folder: "." });
    expect(proposal?.because).toContain("there is no lockfile");
    expect(proposal?.makes).toContain("package-lock.json");
    const never = await proposeInstall(
      projectOf({ ...manifest, ".npmrc": "package-lock=false\n" }),
      machineWith(["npm"]),
    );
    expect(never[0]?.makes).toBe("the packages in ~/.npm");
  });

  it("without a lockfile takes the packages of every member of a workspace, with the manager it is for", async () => {
    const member = JSON.stringify({ dependencies: { a: "1" }, scripts: { prepare: "tsc" } });
    const npm = {
      "package.json": JSON.stringify({ workspaces: ["packages/*", "./tool/", "!packages/not"] }),
      "packages/one/package.json": member,
      "packages/notes.md": "",
      "tool/package.json": "{}",
    };
    expect(await found(npm)).toMatchObject({
      run: expect.stringMatching(/^npm install --offline --no-package-lock/),
      build: expect.stringContaining("--workspaces"),
      inputs: ["package.json", "packages/one/package.json", "tool/package.json"],
      keeps: ["node_modules", "packages/one/node_modules", "tool/node_modules"],
    });
    const pnpm = { ...npm, "pnpm-workspace.yaml": "packages:\n  - packages/*\n" };
    expect(await found(pnpm)).toMatchObject({
      run: expect.stringMatching(/^pnpm install --offline --no-lockfile/),
      inputs: ["package.json", "pnpm-workspace.yaml", "packages/one/package.json"],
    });
    const named = { "package.json": JSON.stringify({ packageManager: "pnpm@10.1.0", dependencies: { a: "1" } }) };
    expect(await found(named)).toMatchObject({ programs: ["pnpm"], inputs: ["package.json"] });
    for (const workspaces of [["packages/*"], { packages: ["packages/*"] }, "packages", 3])
      expect(
        await found({ "package.json": JSON.stringify({ workspaces }), "packages/a/package.json": "{}" }),
      ).toBeNull();
  });

  it("needs what builds a Python project before pip can install it in a workspace", async () => {
    const files = { "pyproject.toml": '[build-system]\nbuild-backend = "hatchling.build"\n' };
    const without = machineWith(["python3"], ["lib/python3.12/site-packages"]);
    expect(await detectSetup(projectOf(files), without)).toMatchObject({ tried: false });
    expect((await proposeInstall(projectOf(files), without))[0]?.command).toContain("pip install hatchling");
    const with_ = machineWith(["python3"], ["lib/python3.12/site-packages/hatchling"]);
    expect(await detectSetup(projectOf(files), with_)).toMatchObject({ tried: true, keeps: [".venv"] });
    expect(await proposeInstall(projectOf(files), with_)).toEqual([]);
  });
});
