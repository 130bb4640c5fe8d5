import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root, workFolder } from "./program.js";

/** A machine without bubblewrap, whose apt-get only writes down what it is told. */
function bareMachine() {
  const folder = workFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(execFileSync("which", ["which"], { encoding: "utf8" }).trim(), join(bin, "which"));
  for (const name of ["sh", "cat"]) symlinkSync(join("/bin", name), join(bin, name));
  writeFileSync(join(bin, "apt-get"), `#!/bin/sh\necho "$@" >> ${join(folder, "apt.log")}\n`, { mode: 0o755 });
  const ensure = (mayInstall: boolean, uid: number) => {
    const script =
      `process.getuid = () => ${uid};` +
      `const { ensurePrograms } = await import(${JSON.stringify(join(root, "scripts/steps.mjs"))});` +
      `ensurePrograms({ bwrap: "bubblewrap" }, { why: "the sandbox", mayInstall: ${mayInstall} });`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: bin },
      encoding: "utf8",
    });
    const log = join(folder, "apt.log");
    return { stdout, asked: existsSync(log) ? readFileSync(log, "utf8") : "" };
  };
  return { ensure };
}

it("the quickstart installs the sandbox as root and says so, and only names the command for everybody else", () => {
  const { ensure } = bareMachine();
  const user = ensure(true, 1000);
  expect(user.asked).toBe("");
  expect(user.stdout).toBe("Not installed: bwrap, for the sandbox. To have it: sudo apt-get install bubblewrap\n");
  const unwilling = ensure(false, 0);
  expect(unwilling.asked).toBe("");
  expect(unwilling.stdout).toContain("To have it: apt-get install bubblewrap");
  const { stdout, asked } = ensure(true, 0);
  expect(stdout).toContain("Installing bubblewrap: the sandbox. --no-install leaves that out.");
  expect(asked).toBe("install -y -qq bubblewrap\n");
});

it("--open ends on the dashboard, which shows the run until Ctrl-C, and leaves nothing behind", async () => {
  const folder = workFolder();
  const child = spawn(process.execPath, [join(root, "examples/first-run/run.mjs"), "--open"], {
    env: { ...process.env, TMPDIR: folder },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const link = await new Promise<URL>((resolve, reject) => {
    child.stdout.on("data", () => {
      const [found] = /http:\S+#login=\S+/.exec(said) ?? [];
      if (found !== undefined) resolve(new URL(found));
    });
    child.once("close", () => reject(new Error(said)));
  });
  const logIn = await fetch(`${link.origin}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret: link.hash.replace("#login=", "") }),
  });
  const [cookie = ""] = (logIn.headers.get("set-cookie") ?? "").split(";");
  const read = async (path: string) => (await fetch(`${link.origin}/api/v1${path}`, { headers: { cookie } })).json();
  const { projects } = (await read("/projects")) as { projects: { id: string }[] };
  expect(link.pathname).toBe(`/runs/${projects[0]?.id}/last/timeline`);
  expect(await read(`/projects/${projects[0]?.id}/runs/last`)).toMatchObject({
    status: "completed",
    tasks: { done: 5, total: 5 },
  });
  child.kill("SIGINT");
  expect(await ended, said).toBe(0);
  expect(readdirSync(folder).filter((name) => name.startsWith("coordinator-story-"))).toEqual([]);
}, 600_000);
