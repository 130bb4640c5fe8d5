import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { privateCaches } from "./caches.js";
import { findAbilities } from "./grade.js";
import { openSandbox } from "./open-sandbox.js";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-caches-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const NPM = {
  "_cacache/content-v2/sha512/aa/package": "a package",
  "_cacache/index-v5/bb/entry": "an entry",
  "_logs/yesterday.log": "…",
};
const PNPM = {
  "v10/files/00/a": "a file",
  "v10/index/00/a.json": "{}",
  "v10/projects/x": "x",
  "v11/files/01/b": "b",
  "v11/index.db": "db",
};

describe("private caches", () => {
  it("copy what programs write to, and show packages read-only in their place", async () => {
    const [npm, pnpm, to] = [folderWith(NPM), folderWith(PNPM), folderWith({})];
    const { mounts, notices } = await privateCaches({ ".npm": npm, ".pnpm": pnpm, ".new": join(to, "none") }, to);
    expect(notices).toEqual([]);
    expect(mounts).toEqual([
      { from: join(to, "0"), to: "/home/agent/.npm", writable: true },
      { from: join(npm, "_cacache/content-v2"), to: "/home/agent/.npm/_cacache/content-v2" },
      { from: join(to, "1"), to: "/home/agent/.pnpm", writable: true },
      { from: join(pnpm, "v10/files"), to: "/home/agent/.pnpm/v10/files" },
      { from: join(pnpm, "v11/files"), to: "/home/agent/.pnpm/v11/files" },
      { from: join(to, "2"), to: "/home/agent/.new", writable: true },
    ]);
    expect(readFileSync(join(to, "0/_cacache/index-v5/bb/entry"), "utf8")).toBe("an entry");
    expect(existsSync(join(to, "0/_cacache/content-v2/sha512"))).toBe(false);
    expect(existsSync(join(to, "0/_logs"))).toBe(false);
    expect(readFileSync(join(to, "1/v11/index.db"), "utf8")).toBe("db");
    expect(existsSync(join(to, "1/v10/projects"))).toBe(false);
    expect(statSync(join(to, "2")).isDirectory()).toBe(true);
  });

  it("are read-only, and that is told, where they are too large to be copied", async () => {
    const [cache, to] = [folderWith({ big: "x".repeat(20_000) }), folderWith({})];
    const { mounts, notices } = await privateCaches({ ".cache/big": cache }, to, 10_000);
    expect(mounts.at(-1)).toEqual({ from: cache, to: "/home/agent/.cache/big" });
    expect(notices[0]).toContain("~/.cache/big is too large to be copied");
    await expect(privateCaches({ "../out": cache }, to)).rejects.toMatchObject({ code: "USAGE" });
  });
});

describe.runIf(findAbilities().bubblewrap !== null)("private caches in a sandbox", () => {
  it("may be written, leave those of the person as they are, and keep packages from being changed", async () => {
    const cache = folderWith(NPM);
    const around = folderWith({ "workspace/a.txt": "a" });
    const sandbox = await openSandbox({
      workspace: join(around, "workspace"),
      writable: "whole",
      caches: { ".npm": cache },
      cachesFolder: join(around, "caches"),
      records: join(around, "records"),
    });
    const sh = async (script: string) => {
      const child = sandbox.spawn({ argv: ["sh", "-c", script] });
      child.stdout.resume();
      child.stderr.resume();
      return (await child.exited).code;
    };
    const started = async () => (await sandbox.spawn({ argv: ["true"] }).exited).error ?? "started";
    try {
      expect(await sh("echo more >> ~/.npm/_cacache/index-v5/bb/entry && mkdir ~/.npm/_logs && : > ~/.npm/new")).toBe(
        0,
      );
      expect(await sh("cat ~/.npm/_cacache/content-v2/sha512/aa/package")).toBe(0);
      expect(await sh("echo bad > ~/.npm/_cacache/content-v2/sha512/aa/package")).not.toBe(0);
      expect(await started()).toBe("started");
      // A link in the way of what is mounted would lead out of the sandbox.
      await sh("cd ~/.npm && mv _cacache away && ln -s /usr _cacache");
      expect(await started()).toContain("left a link at _cacache");
    } finally {
      await sandbox.close();
    }
    expect(readFileSync(join(cache, "_cacache/index-v5/bb/entry"), "utf8")).toBe("an entry");
    expect(readFileSync(join(cache, "_cacache/content-v2/sha512/aa/package"), "utf8")).toBe("a package");
    expect(existsSync(join(cache, "new"))).toBe(false);
  });
});
