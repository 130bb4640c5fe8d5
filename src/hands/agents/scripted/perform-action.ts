import { spawn } from "node:child_process";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Step } from "./script.js";
import type { ToolAction } from "./tool-calls.js";

/** Carries a action out, as an agent's own tools would: without asking anybody. */
export async function performAction(step: Step, action: ToolAction, cwd: string, signal: AbortSignal): Promise<string> {
  const path = action.path ?? "";
  if ("read" in step) return readFile(path, "utf8");
  if ("write" in step) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, step.text);
    return "written";
  }
  if ("edit" in step) {
    const before = await readFile(path, "utf8");
    if (!before.includes(step.replace)) throw new Error(`${step.edit} does not hold the text to replace`);
    await writeFile(
      path,
      before.replace(step.replace, () => step.with),
    );
    return "edited";
  }
  if ("delete" in step) {
    await rm(path, { recursive: true });
    return "deleted";
  }
  if ("move" in step) {
    await mkdir(dirname(action.to ?? ""), { recursive: true });
    await rename(path, action.to ?? "");
    return "moved";
  }
  if ("run" in step) return shell(step.run, cwd, signal);
  if ("fetch" in step) return (await fetch(step.fetch, { signal })).text();
  return "";
}

function shell(command: string, cwd: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"], signal });
    let output = "";
    const take = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-10_000);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`exit ${code}: ${output}`))));
  });
}

/** A child that leaves its parent, its group and its session behind. */
export function startDaemon(command: string, cwd: string): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(
      "/bin/sh",
      ["-c", `setsid /bin/sh -c ${JSON.stringify(command)} >/dev/null 2>&1 < /dev/null &`],
      {
        cwd,
        stdio: "ignore",
        detached: true,
      },
    );
    child.on("close", () => resolve());
    child.on("error", () => resolve());
  });
}
