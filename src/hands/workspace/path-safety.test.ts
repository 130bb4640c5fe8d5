import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, write } from "../../../test/workspace/repository.js";
import { isInside, openRegular, removeInside, removeTree } from "./path-safety.js";

describe("opening a file of an agent", () => {
  it("opens files, closed ones too, and nothing else", async () => {
    const folder = newFolder();
    write(folder, { file: "text", shut: "text" });
    chmodSync(join(folder, "shut"), 0);
    symlinkSync("file", join(folder, "link"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    mkdirSync(join(folder, "folder"));
    const opened = async (name: string) => {
      const file = await openRegular(join(folder, name), true);
      await file?.close();
      return file !== null;
    };
    expect(await Promise.all(["file", "shut", "link", "pipe", "folder", "nothing"].map(opened))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it("changes no permissions where an agent may still be at work: a link could take the file's place", async () => {
    const folder = newFolder();
    write(folder, { shut: "text" });
    chmodSync(join(folder, "shut"), 0o200);
    await (await openRegular(join(folder, "shut"), false))?.close();
    expect(statSync(join(folder, "shut")).mode & 0o777).toBe(0o200);
  });
});

describe("inside", () => {
  it("is decided with every link resolved", async () => {
    const folder = newFolder();
    write(folder, { "root/a/b": "", "root-two/x": "" });
    symlinkSync("../root-two", join(folder, "root/out"));
    symlinkSync("a", join(folder, "root/in"));
    const root = join(folder, "root");
    const asked = [".", "a/b", "in/b", "out", "out/x", "../root-two", "nothing"];
    expect(await Promise.all(asked.map((path) => isInside(root, join(root, path))))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("removing a tree", () => {
  it("removes any names, closed folders and any depth, and follows no link", async () => {
    const folder = newFolder();
    write(folder, { "precious/file": "mine" });
    const doomed = join(folder, "doomed");
    mkdirSync(join(doomed, "a/shut"), { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(`${doomed}/a/`), Buffer.from([0xff, 0xfe])]), "x");
    write(doomed, { "a/shut/file": "x", ".removing": "a name of ours", "line\nbreak": "x" });
    symlinkSync(join(folder, "precious"), join(doomed, "a/shut/link"));
    symlinkSync(join(folder, "precious"), join(doomed, "link"));
    const script = "for (let i = 0; i < 3000; i++) { fs.mkdirSync('d'); process.chdir('d'); }";
    execFileSync(process.execPath, ["-e", script], { cwd: doomed });
    chmodSync(join(doomed, "a/shut"), 0);
    expect(await removeTree(doomed)).toEqual([]);
    expect(existsSync(doomed)).toBe(false);
    expect(readFileSync(join(folder, "precious/file"), "utf8")).toBe("mine");
  });

  it("of a link removes the link, and of nothing does nothing", async () => {
    const folder = newFolder();
    write(folder, { "precious/file": "mine" });
    symlinkSync("precious", join(folder, "link"));
    expect(await removeTree(join(folder, "link"))).toEqual([]);
    expect(await removeTree(join(folder, "nothing"))).toEqual([]);
    expect(existsSync(join(folder, "precious/file"))).toBe(true);
  });

  it("takes nothing that was there before for a folder it moved itself", async () => {
    const folder = newFolder();
    write(folder, { "precious/file": "mine", "precious/below/file": "mine", "doomed/x": "" });
    mkdirSync(join(folder, "doomed/.removing"));
    symlinkSync(join(folder, "precious"), join(folder, "doomed/.removing/0"));
    expect(await removeTree(join(folder, "doomed"))).toEqual([]);
    expect(existsSync(join(folder, "doomed"))).toBe(false);
    expect(existsSync(join(folder, "precious/file")) && existsSync(join(folder, "precious/below/file"))).toBe(true);
  });

  it("inside of a workspace leaves what a link leads to", async () => {
    const folder = newFolder();
    write(folder, { "precious/made/file": "mine", "root/a/made/file": "x", "root/b/made": "x" });
    symlinkSync("../precious", join(folder, "root/link"));
    const root = join(folder, "root");
    const asked = ["link/made", "../precious/made", join(folder, "precious/made"), ".", "link/../../precious"];
    for (const path of asked) expect(await removeInside(root, path), path).toHaveLength(1);
    expect(existsSync(join(folder, "precious/made/file"))).toBe(true);
    for (const path of ["a/made/", "./b/made"]) expect(await removeInside(root, path), path).toEqual([]);
    expect(existsSync(join(root, "a/made")) || existsSync(join(root, "b/made"))).toBe(false);
  });
});
