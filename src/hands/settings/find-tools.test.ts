import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { findTools } from "./find-tools.js";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function home(files: readonly string[], texts: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-home-"));
  folders.push(folder);
  const all = { ...Object.fromEntries(files.map((file) => [file, "#!/bin/sh\n"])), ...texts };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { mode: 0o755 });
  }
  const found = (programs: readonly string[], path: readonly string[]) =>
    findTools(programs, {
      path: path.map((each) => (each.startsWith("/") ? each : join(folder, each))).join(":"),
      home: folder,
      root: folder,
    }).map(({ folder: tool }) => tool);
  return { folder, found };
}

describe("the toolchains of a project's checks", () => {
  it("are none for what every sandbox shows, and for what is not installed", () => {
    expect(home([]).found(["sh", "node", "npm", "no-such-program"], ["/usr/bin", "/bin"])).toEqual([]);
  });

  it("are the version that a version manager would choose, and not the program it puts in the way", () => {
    const files = [".pyenv/shims/python3", ".pyenv/versions/3.12.4/bin/python3", ".pyenv/versions/3.11.9/bin/python3"];
    const usual = home(files, { ".pyenv/version": "3.12.4\n" });
    expect(usual.found(["python3"], [".pyenv/shims", "/usr/bin"])).toEqual(["~/.pyenv/versions/3.12.4"]);
    const own = home(files, { ".pyenv/version": "3.12.4\n", ".python-version": "3.11.9\n" });
    expect(own.found(["python3"], [".pyenv/shims"])).toEqual(["~/.pyenv/versions/3.11.9"]);
    const rust = home([".cargo/bin/cargo", ".rustup/toolchains/stable-x/bin/cargo"], {
      ".rustup/settings.toml": 'version = "12"\ndefault_toolchain = "stable-x"\n',
      ".cargo/credentials.toml": "secret",
    });
    expect(rust.found(["cargo"], [".cargo/bin"])).toEqual(["~/.rustup/toolchains/stable-x"]);
  });

  it("are never a home directory or a folder that holds logins, only what the program itself needs", () => {
    const { folder, found } = home([".local/share/pipx/venvs/ruff/bin/ruff", ".local/bin/uv", "bin/own", "go/bin/go"], {
      ".local/share/pipx/venvs/ruff/pyvenv.cfg": "home = /usr/bin\n",
    });
    symlinkSync(join(folder, ".local/share/pipx/venvs/ruff/bin/ruff"), join(folder, ".local/bin/ruff"));
    expect(found(["ruff"], [".local/bin"])).toEqual(["~/.local/share/pipx/venvs/ruff"]);
    expect(found(["uv"], [".local/bin"])).toEqual(["~/.local/bin"]);
    expect(found(["own"], ["bin"])).toEqual(["~/bin"]);
    expect(found(["go"], ["go/bin"])).toEqual(["~/go"]);
  });

  it("hold the Python a virtual environment is made on", () => {
    const { folder, found } = home(["envs/x/bin/pytest", "pythons/3.12/bin/python3"]);
    writeFileSync(join(folder, "envs/x/pyvenv.cfg"), `home = ${folder}/pythons/3.12/bin\nversion = 3.12\n`);
    expect(found(["pytest"], ["envs/x/bin"])).toEqual(["~/envs/x", "~/pythons/3.12"]);
  });

  it("are told where a home is not on the way", () => {
    const { folder } = home(["opt/go/bin/go"]);
    const tools = findTools(["go"], { path: join(folder, "opt/go/bin"), home: "/home/nobody", root: folder });
    expect(tools).toEqual([{ folder: join(folder, "opt/go"), because: "go" }]);
  });
});
