import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openByName } from "./open-by-name.js";
import { addProject, enterBounds, pathInside, projectPathOf } from "./project-bounds.js";
import { openToRead, readdir, readdirSync, readFile, readFileSync, readUpTo } from "./read-files.js";
import * as write from "./write-files.js";
import * as writeSync from "./write-files-sync.js";

/* A project with a state folder, and beside it a folder that is none of its business. */

let folder: string;
let root: string;
let outside: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "coordinator-files-")));
  [root, outside] = [join(folder, "project"), join(folder, "outside")];
  fs.mkdirSync(join(root, ".coordinator", "deep"), { recursive: true });
  fs.mkdirSync(outside);
  fs.writeFileSync(join(outside, "secret"), "secret");
  addProject(root);
});

afterEach(() => {
  expect(fs.readdirSync(outside)).toEqual(["secret"]);
  expect(fs.readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
  fs.rmSync(folder, { recursive: true, force: true });
});

const REFUSED = { code: "LINK_REFUSED" };
const inProject = (...names: string[]) => join(root, ...names);

/** Every writer, with the path it is to write. Asynchronous and synchronous ones are called alike. */
const WRITERS: Readonly<Record<string, (path: string) => unknown>> = {
  writeFile: (path) => write.writeFile(path, "x"),
  "writeFile that must be new": (path) => write.writeFile(path, "x", { flag: "wx" }),
  appendFile: (path) => write.appendFile(path, "x"),
  open: async (path) => (await write.open(path, "a+")).close(),
  mkdir: (path) => write.mkdir(path),
  "mkdir with parents": (path) => write.mkdir(path, { recursive: true }),
  "rename to": async (path) => {
    fs.writeFileSync(inProject("draft"), "x");
    await write.rename(inProject("draft"), path);
  },
  "link to": async (path) => {
    fs.writeFileSync(inProject("draft"), "x");
    await write.link(inProject("draft"), path);
  },
  copyFile: async (path) => {
    fs.writeFileSync(inProject("draft"), "x");
    await write.copyFile(inProject("draft"), path);
  },
  cp: async (path) => {
    fs.mkdirSync(inProject("drafts"), { recursive: true });
    await write.cp(inProject("drafts"), path, () => true);
  },
  symlink: (path) => write.symlink("nowhere", path),
  chmod: (path) => write.chmod(path, 0o777),
  writeFileSync: (path) => writeSync.writeFileSync(path, "x", { flush: true }),
  openSync: (path) => fs.closeSync(writeSync.openSync(path, "w")),
  mkdirSync: (path) => writeSync.mkdirSync(path),
  "mkdirSync with parents": (path) => writeSync.mkdirSync(path, { recursive: true }),
  "renameSync to": (path) => {
    fs.writeFileSync(inProject("draft"), "x");
    writeSync.renameSync(inProject("draft"), path);
  },
  "linkSync to": (path) => {
    fs.writeFileSync(inProject("draft"), "x");
    writeSync.linkSync(inProject("draft"), path);
  },
  copyFileSync: (path) => {
    fs.writeFileSync(inProject("draft"), "x");
    writeSync.copyFileSync(inProject("draft"), path);
  },
  symlinkSync: (path) => writeSync.symlinkSync("nowhere", path),
  mkdtempSync: (path) => writeSync.mkdtempSync(path),
  chmodSync: (path) => writeSync.chmodSync(path, 0o777),
  chownSync: (path) => writeSync.chownSync(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0),
};
const writers = Object.entries(WRITERS);
/** These make a new name and take nothing that has one: what stands there is not followed by the system itself. */
const NEW_NAMES = new Set([
  "link to",
  "linkSync to",
  "symlink",
  "symlinkSync",
  "mkdtempSync",
  "writeFile that must be new",
]);

describe("writing in a project", () => {
  it.each(writers)("%s: a folder on the way is a link", async (_, act) => {
    fs.symlinkSync(outside, inProject("way"));
    await expect((async () => act(inProject("way", "new")))()).rejects.toMatchObject(REFUSED);
  });

  it.each(writers)("%s: the state folder is a link, of a project nobody named", async (_, act) => {
    const other = join(folder, "other");
    fs.mkdirSync(other);
    fs.symlinkSync(outside, join(other, ".coordinator"));
    await expect((async () => act(join(other, ".coordinator", "new")))()).rejects.toMatchObject(REFUSED);
  });

  it.each(writers)("%s: a folder far up is a link", async (_, act) => {
    fs.mkdirSync(inProject("a"));
    fs.symlinkSync(outside, inProject("a", "b"));
    await expect((async () => act(inProject("a", "b", "c", "new")))()).rejects.toMatchObject(REFUSED);
  });

  it.each(writers)("%s: nothing is written below .git, by no spelling", async (_, act) => {
    for (const name of [".git", ".GIT", "git~1", ".git. "]) {
      fs.mkdirSync(inProject("deep", name), { recursive: true });
      await expect((async () => act(inProject("deep", name, "new")))()).rejects.toMatchObject({
        code: "FILE_WRITE_FAILED",
        message: expect.stringContaining("only git writes below .git"),
      });
      expect(fs.readdirSync(inProject("deep", name))).toEqual([]);
    }
  });

  it.each(writers)("%s: a link stands there", async (name, act) => {
    fs.symlinkSync(join(outside, "secret"), inProject("link"));
    const done = (async () => act(inProject("link")))();
    if (NEW_NAMES.has(name)) await done.catch(() => undefined);
    else await expect(done).rejects.toMatchObject(REFUSED);
    expect(fs.lstatSync(inProject("link")).isSymbolicLink()).toBe(true);
  });

  it.each(writers)("%s: the project is reached by another name", async (_, act) => {
    fs.symlinkSync(root, join(folder, "alias"));
    fs.symlinkSync(outside, inProject("way"));
    await expect((async () => act(join(folder, "alias", "way", "new")))()).rejects.toMatchObject(REFUSED);
  });

  it.each(writers)("%s: errors name the path that was meant", async (_, act) => {
    const error = await (async () => act(inProject("nowhere", "far", "new")))().then(
      () => null,
      (thrown: Error) => thrown,
    );
    if (error !== null) expect(error.message).not.toContain("/proc/self/fd");
  });

  it("writes where no link is", async () => {
    await write.mkdir(inProject("a", "b"), { recursive: true });
    await write.writeFile(inProject("a", "b", "text"), "one");
    await write.appendFile(inProject("a", "b", "text"), " two");
    await write.rename(inProject("a", "b", "text"), inProject("a", "text"));
    expect(fs.readFileSync(inProject("a", "text"), "utf8")).toBe("one two");
    expect(writeSync.mkdirSync(inProject("c", "d"), { recursive: true })).toBe(inProject("c"));
    expect(writeSync.mkdirSync(inProject("c", "d"), { recursive: true })).toBeUndefined();
    await write.rm(inProject("nowhere", "x"), { force: true });
    writeSync.rmSync(inProject("a"), { recursive: true });
    expect(fs.existsSync(inProject("a"))).toBe(false);
  });

  it("removes a link and not what it leads to", async () => {
    fs.symlinkSync(outside, inProject("one"));
    fs.symlinkSync(outside, inProject("two"));
    await write.rm(inProject("one"), { recursive: true, force: true });
    writeSync.rmSync(inProject("two"), { recursive: true, force: true });
    expect(fs.readdirSync(root).sort()).toEqual([".coordinator"]);
  });

  it("refuses to write into a pipe", async () => {
    execFileSync("mkfifo", [inProject("pipe")]);
    await expect(write.writeFile(inProject("pipe"), "x")).rejects.toThrow();
    expect(() => writeSync.writeFileSync(inProject("pipe"), "x")).toThrow();
  });

  it("gives a library no name that a link stands at", () => {
    fs.symlinkSync(join(outside, "new.db"), inProject(".coordinator", "one.db"));
    fs.symlinkSync(join(outside, "new-wal"), inProject(".coordinator", "two.db-wal"));
    for (const name of ["one.db", "two.db"])
      expect(() =>
        openByName(inProject(".coordinator", name), ["-wal"], () => {
          throw new Error("it was opened");
        }),
      ).toThrow(expect.objectContaining(REFUSED));
  });

  it("closes what a library opened elsewhere", () => {
    const path = inProject(".coordinator", "deep", "one.db");
    let closed = false;
    const open = () => {
      // The folder is swapped between looking and opening.
      fs.renameSync(inProject(".coordinator", "deep"), inProject(".coordinator", "aside"));
      fs.symlinkSync(outside, inProject(".coordinator", "deep"));
      const file = fs.openSync(join(outside, "secret"), "r+");
      return { close: () => ((closed = true), fs.closeSync(file)) };
    };
    expect(() => openByName(path, [], open)).toThrow(expect.objectContaining(REFUSED));
    expect(closed).toBe(true);
  });
});

describe("reading in a project", () => {
  it.each([
    ["a link", "link", () => fs.symlinkSync(join(outside, "secret"), inProject("link"))],
    ["a relative link", "link", () => fs.symlinkSync("../outside/secret", inProject("link"))],
    ["a folder on the way", "way/secret", () => fs.symlinkSync(outside, inProject("way"))],
    [
      "a chain",
      "a",
      () => {
        fs.symlinkSync("b", inProject("a"));
        fs.symlinkSync(join(outside, "secret"), inProject("b"));
      },
    ],
  ])("%s that leads out is refused", async (_, path, make) => {
    make();
    await expect(readFile(inProject(path))).rejects.toMatchObject(REFUSED);
    await expect(readUpTo(inProject(path), 10)).rejects.toMatchObject(REFUSED);
    await expect(openToRead(inProject(path))).rejects.toMatchObject(REFUSED);
    expect(() => readFileSync(inProject(path))).toThrow(expect.objectContaining(REFUSED));
  });

  it("a folder that leads out is not listed", async () => {
    fs.symlinkSync(outside, inProject("way"));
    await expect(readdir(inProject("way"))).rejects.toMatchObject(REFUSED);
    expect(() => readdirSync(inProject("way"))).toThrow(expect.objectContaining(REFUSED));
  });

  it("a link that stays inside is followed, but for one into .git or the state folder", async () => {
    fs.mkdirSync(inProject(".git"));
    for (const path of ["real", ".git/config", ".coordinator/key"]) fs.writeFileSync(inProject(path), path);
    fs.symlinkSync("real", inProject("link"));
    fs.symlinkSync(".git/config", inProject("git"));
    fs.symlinkSync(".coordinator/key", inProject("key"));
    expect(await readFile(inProject("link"), "utf8")).toBe("real");
    expect(readFileSync(inProject(".coordinator/key"), "utf8")).toBe(".coordinator/key");
    for (const path of ["git", "key"]) await expect(readFile(inProject(path))).rejects.toMatchObject(REFUSED);
  });

  it("a link from a project that was entered to another one is refused, although a project around both is known", async () => {
    const [one, other] = [join(folder, "one"), join(folder, "other")];
    for (const project of [one, other]) {
      fs.mkdirSync(join(project, ".git"), { recursive: true });
      fs.writeFileSync(join(project, "settings"), project);
    }
    fs.symlinkSync(join(other, "settings"), join(one, "link"));
    addProject(folder);
    expect(await readFile(join(one, "link"), "utf8"), "as long as it is a folder like others").toBe(other);
    enterBounds(one);
    enterBounds(other);
    await expect(readFile(join(one, "link"), "utf8")).rejects.toMatchObject(REFUSED);
    expect(await readFile(join(one, "settings"), "utf8")).toBe(one);
    expect(projectPathOf(join(other, "settings"))).toEqual({ root: other, names: ["settings"] });
  });

  it("refuses pipes, devices and folders at once, and what is too large", async () => {
    execFileSync("mkfifo", [inProject("pipe")]);
    for (const path of [inProject("pipe"), "/dev/zero", root]) {
      await expect(readFile(path)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
      expect(() => readFileSync(path)).toThrow(expect.objectContaining({ code: "FILE_UNREADABLE" }));
    }
    fs.writeFileSync(inProject("large"), "");
    fs.truncateSync(inProject("large"), 1024 ** 3);
    await expect(readFile(inProject("large"))).rejects.toThrow("larger than 256 MB");
  });
});

describe("which project a path lies in", () => {
  it("is told by names, not by links", () => {
    expect(projectPathOf(inProject("a", "..", "b"))).toEqual({ root, names: ["b"] });
    expect(projectPathOf(join(outside, "secret"))).toBeNull();
    expect(projectPathOf("/x/.coordinator/y/.coordinator/z")).toEqual({
      root: "/x",
      names: [".coordinator", "y", ".coordinator", "z"],
    });
    expect(pathInside(root, "a/b")).toBe(inProject("a", "b"));
    expect(() => pathInside(root, "../outside/secret")).toThrow(expect.objectContaining(REFUSED));
  });
});

describe("a race", () => {
  it("is lost by whoever swaps a file for a link while it is written and read", async () => {
    const place = inProject("file");
    fs.writeFileSync(place, "own");
    const swapper = await startSwapping(place, join(outside, "secret"));
    const seen = new Set<string>();
    try {
      for (let i = 0; i < 3000; i++) {
        await attempt(() => writeSync.writeFileSync(place, "own"));
        await attempt(() => write.writeFile(place, "own", { flag: "a" }));
        await attempt(() => seen.add(readFileSync(place, "utf8")));
      }
    } finally {
      await swapper.stop();
    }
    expect([...seen].filter((text) => text.includes("secret"))).toEqual([]);
  });

  it("is lost by whoever swaps a folder for a link while files are written and read", async () => {
    const place = inProject("docs");
    fs.mkdirSync(place);
    fs.writeFileSync(join(place, "secret"), "own");
    const swapper = await startSwapping(place, outside);
    const tries = { written: 0, refused: 0, seen: new Set<string>() };
    try {
      for (let i = 0; i < 3000; i++) {
        try {
          writeSync.writeFileSync(join(place, `f${i % 7}`), "x");
          await write.mkdir(join(place, "made", `d${i % 5}`), { recursive: true });
          tries.written++;
        } catch {
          tries.refused++;
        }
        try {
          tries.seen.add(readFileSync(join(place, "secret"), "utf8"));
        } catch {
          tries.refused++;
        }
      }
    } finally {
      await swapper.stop();
    }
    // Both happened, or it was no race; that nothing came to lie outside is looked at after every test.
    expect(tries.written).toBeGreaterThan(0);
    expect(tries.refused).toBeGreaterThan(0);
    expect([...tries.seen].filter((text) => text !== "own")).toEqual([]);
  });
});

/** A process that puts a link in the place of a file or folder, and the thing itself back, again and again. */
async function startSwapping(place: string, target: string): Promise<{ readonly stop: () => Promise<void> }> {
  const swap = `
    const fs = require("node:fs");
    const [place, target] = process.argv.slice(1);
    process.stdout.write("ready");
    for (;;) {
      try {
        fs.renameSync(place, place + ".real");
        fs.symlinkSync(target, place);
        fs.rmSync(place);
        fs.renameSync(place + ".real", place);
      } catch {}
    }`;
  const swapper = spawn(process.execPath, ["-e", swap, place, target], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => swapper.stdout.once("data", resolve));
  return {
    stop: async () => {
      swapper.kill("SIGKILL");
      await new Promise((resolve) => swapper.once("close", resolve));
    },
  };
}

async function attempt(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch {
    // Refused, or swapped away.
  }
}
