import { execFileSync, spawn } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { coordinator, root, workFolder } from "./program.js";

it("Ctrl-C ends the process of a run, which nobody works on then, and says how to go on", async () => {
  const cwd = join(workFolder(), "greetings");
  cpSync(join(root, "examples", "rehearsal"), cwd, { recursive: true });
  writeFileSync(join(cwd, "rehearsal.json"), '{ "tasks": [], "otherwise": [{ "hang": true }] }');
  writeFileSync(
    join(cwd, "coordinator.yaml"),
    "agents:\n  rehearsal: { preset: scripted, env: { COORDINATOR_SCRIPT: rehearsal.json } }\n",
  );
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "start");
  const env = { XDG_STATE_HOME: join(cwd, "..", "state") };
  for (const command of [
    "intent seal intent.yaml --write",
    "facts collect --project greetings",
    "memory build --project greetings",
    "plan --intent intent.yaml --out plan",
  ])
    expect(await coordinator(command.split(" "), { cwd, env })).toMatchObject({ code: 0 });
  const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), "run", "--plan", "plan"], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  let interrupted = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      told += chunk.toString("utf8");
      if (interrupted || !told.includes("goodbye: attempt 1 started")) return;
      interrupted = true;
      child.kill("SIGINT");
    });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(130);
  expect(told).toContain("Stopped. Go on: coordinator run --resume run_");
  const { stdout } = await coordinator(["status", "last"], { cwd, env });
  expect(stdout).toContain("nobody works on it now");
  expect(stdout).toContain("! stalled");
  const inbox = await coordinator(["inbox"], { cwd, env });
  expect(inbox.code).toBe(3);
  expect(inbox.stdout).toMatch(/stalled for .*: nobody works on it\n {4}\$ coordinator run --resume run_/);
});
