import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startWatcher, type WatchReport } from "../../../src/hands/sandbox/watch/watcher.js";
import { ensureBuilt } from "../../build.js";

beforeAll(() => ensureBuilt());

async function watching(write: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "coordinator-watch-"));
  for (const folder of ["src/deep", "docs", ".git"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "docs", "old.md"), "old");
  const reports: WatchReport[] = [];
  const seen = () => reports.flatMap((report) => (report.type === "seen" ? report.paths : []));
  const watcher = startWatcher({ root, write, ignore: [".git"] }, ["", "docs"], (report) => {
    reports.push(report);
    if (report.type === "seen")
      for (const { path, kind } of report.paths) if (kind === "folder" && path !== "ignored") watcher.enter(path);
  });
  onTestFinished(async () => {
    await watcher.stop();
    rmSync(root, { recursive: true, force: true });
  });
  await watcher.ready;
  const paths = () => [...new Set(seen().flatMap(({ path, kind }) => (kind === "folder" ? [] : [path])))];
  /** Contract: what is done again and again until it is seen is done at least once. */
  const until = async (path: string, doing: () => void = () => undefined) => {
    for (doing(); !paths().includes(path); doing()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { root, reports, paths, until, watcher };
}

describe("the watcher", () => {
  it("reports what is written outside of the scope, and nothing else [S0-056]", async () => {
    const { root, paths, until } = await watching(["src/**", "new/place/**"]);
    for (let i = 0; i < 20; i++) {
      const path = join(root, "docs", `${i}.md`);
      writeFileSync(path, "x");
      // Half of them are gone again before anybody can look.
      if (i % 2 === 0) rmSync(path);
    }
    writeFileSync(join(root, "docs", "old.md"), "changed");
    writeFileSync(join(root, "src", "deep", "fine.ts"), "x");
    writeFileSync(join(root, ".git", "index"), "x");
    mkdirSync(join(root, "new", "place", "inner"), { recursive: true });
    writeFileSync(join(root, "new", "place", "inner", "fine.ts"), "x");
    mkdirSync(join(root, "ignored", "deep"), { recursive: true });
    writeFileSync(join(root, "ignored", "deep", "nobody.txt"), "x");
    // In directories that did not exist when the watch began, and in one that was made anew.
    mkdirSync(join(root, "other", "below"), { recursive: true });
    writeFileSync(join(root, "other", "below", "found.txt"), "x");
    await until("other/below/found.txt");
    rmSync(join(root, "docs"), { recursive: true });
    mkdirSync(join(root, "docs"));
    writeFileSync(join(root, "docs", "again.md"), "x");
    await until("docs/again.md");
    writeFileSync(join(root, "end.txt"), "x");
    await until("end.txt");
    const wanted = [
      ...Array.from({ length: 20 }, (_, i) => `docs/${i}.md`),
      "docs/old.md",
      "docs/again.md",
      "other/below/found.txt",
      "end.txt",
    ];
    // The folder that was made anew may have been seen while it was gone; the system tells of its end under its own name.
    const told = paths().filter((path) => path !== "docs/docs" && path !== "docs");
    expect(told.sort()).toEqual(wanted.sort());
  });

  it("sees what is written in a folder that was made anew before anybody looked", async () => {
    const { root, paths, until, watcher } = await watching(["src/**"]);
    for (let round = 0; round < 5; round++) {
      process.kill(watcher.pid, "SIGSTOP");
      rmSync(join(root, "docs"), { recursive: true });
      mkdirSync(join(root, "docs"));
      process.kill(watcher.pid, "SIGCONT");
      await until(`docs/${round}.md`, () => writeFileSync(join(root, "docs", `${round}.md`), "x"));
    }
    expect(paths()).toContain("docs/4.md");
  });

  it("does not hold up the Coordinator while an agent floods it, and still sees the one that counts", async () => {
    const { root, paths, until } = await watching(["src/**"]);
    const flood = `const fs = require("fs"); for (let i = 0; ; i++) fs.writeFileSync("src/f" + (i % 50), "x".repeat(i % 100));`;
    const agent = spawn(process.execPath, ["-e", flood], { cwd: root, stdio: "ignore" });
    const exited = once(agent, "exit");
    const turns = { taken: 0 };
    const ticking = setInterval(() => turns.taken++, 5);
    while (turns.taken < 60) await new Promise((resolve) => setTimeout(resolve, 5));
    writeFileSync(join(root, "docs", "violation.md"), "x");
    await until("docs/violation.md");
    clearInterval(ticking);
    agent.kill("SIGKILL");
    await exited;
    expect(paths()).toEqual(["docs/violation.md"]);
  });

  it("says when it is no more", async () => {
    const { reports, watcher } = await watching(["src/**"]);
    process.kill(watcher.pid, "SIGKILL");
    while (!reports.some(({ type }) => type === "blind")) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(reports.at(-1)).toMatchObject({ type: "blind" });
  });
});
