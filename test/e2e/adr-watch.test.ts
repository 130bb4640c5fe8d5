import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked, type Asked } from "./asked.js";
import { PROGRAM } from "./project.js";

beforeAll(ensureBuilt);

const record = (number: string, ...tasks: readonly string[]) =>
  `# ADR-${number}: Keep things\n\nStatus: Accepted\n\n## Tasks\n\n${tasks.map((task) => `- ${task}\n`).join("")}`;

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

/** The program as it watches, and what it tells. */
function watching({ cwd, env }: Asked, ...args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, "adr", "watch", "--every", "0.1", ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let told = "";
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (told += String(chunk)));
  return {
    ended,
    told: () => told,
    interrupt: () => child.kill("SIGINT"),
    until: async (words: string) => {
      while (!told.includes(words)) {
        if (child.exitCode !== null) throw new Error(`It ended: ${told}`);
        await pause();
      }
    },
  };
}

describe("adr watch", () => {
  it("waits for a folder, takes what is saved in it, tells what is changed later, and ends with Ctrl-C [S3-009]", async () => {
    const desk = asked({ "README.md": "x\n", ".gitignore": ".coordinator/\n" }, []);
    const watch = watching(desk, "records");
    await watch.until("There is no folder records yet");
    // From its first look on.
    while (!existsSync(join(desk.cwd, ".coordinator/adr-watch.json"))) await pause();
    mkdirSync(join(desk.cwd, "records"));
    writeFileSync(join(desk.cwd, "records/.0007.tmp"), record("007", "Add the store"));
    renameSync(join(desk.cwd, "records/.0007.tmp"), join(desk.cwd, "records/0007-store.md"));
    // While the store is being made nobody reads it.
    while ((await desk.runs().catch(() => [])).length === 0) await pause();
    writeFileSync(join(desk.cwd, "records/0007-store.md"), record("007", "Add two stores"));
    const [run = ""] = await desk.runs();
    await watch.until(`ADR-007 has changed since ${run}: records/0007-store.md. It is not carried out again.`);
    watch.interrupt();
    expect([0, 3]).toContain(await watch.ended);
    expect(watch.told()).toContain("ADRs: 1 picked up, 1 changed, 0 accepted before the first watch");
    expect(await desk.runs()).toHaveLength(1);
  });

  it("refuses to watch a file, and says which record is meant where two have a number", () => {
    const desk = asked(
      { "docs/adr/0001-a.md": record("1", "Add one"), "docs/adr/0001-b.md": record("1", "Add two"), "x.md": "x" },
      [],
    );
    const file = desk.call("adr", "watch", "x.md", "--once");
    expect([file.code, file.stderr]).toEqual([2, expect.stringContaining("x.md is not a folder")]);
    const both = desk.call("adr", "approve", "ADR-001");
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("docs/adr/0001-a.md, docs/adr/0001-b.md")]);
    expect(desk.call("plan", "--adr", "ADR-0001-b").stdout).toContain("Add two");
  });

  it("goes on when what it wrote down cannot be read, and takes nothing by mistake", async () => {
    const desk = asked({ "docs/adr/0001-a.md": record("1", "Add one"), ".gitignore": ".coordinator/\n" }, []);
    mkdirSync(join(desk.cwd, ".coordinator"));
    writeFileSync(join(desk.cwd, ".coordinator/adr-watch.json"), "{ half");
    const { code, stdout, stderr } = desk.call("adr", "watch", "--once");
    expect([code, stdout]).toEqual([0, "ADRs: 0 picked up, 0 changed, 1 accepted before the first watch\n"]);
    expect(stderr).toContain("cannot be read");
    expect(await desk.runs()).toEqual([]);
  });
});
