import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../../../src/hands/sandbox/open-sandbox.js";
import type { SandboxOptions } from "../../../src/hands/sandbox/options.js";
import { ownFolder, prepare, STRONG } from "./coordinators.js";

/* Programs that want everything a machine has: they get what they may, and are ended. */

let place: Awaited<ReturnType<typeof prepare>>;
const MIB = 1024 * 1024;

beforeAll(async () => {
  place = await prepare();
});
afterAll(() => place.remove());

async function inSandbox(
  name: string,
  options: Partial<SandboxOptions>,
  script: string,
  program: readonly string[] = ["sh", "-c"],
) {
  const workspace = ownFolder(null, join(place.folder, name));
  const sandbox = await openSandbox({
    workspace,
    writable: "whole",
    records: join(place.folder, "records"),
    ...options,
  });
  const started = sandbox.spawn({ argv: [...program, script] as unknown as [string, ...string[]] });
  started.stdin.end();
  const [stdout, stderr, exit] = await Promise.all([text(started.stdout), text(started.stderr), started.exited]);
  await sandbox.close();
  return { stdout, stderr, exit, workspace };
}

describe.skipIf(!STRONG)("limits", () => {
  it("ends what takes too long [S1-086]", async () => {
    const { exit } = await inSandbox("time", { limits: { minutes: 0.005 } }, "sleep 1000");
    expect(exit).toMatchObject({ limit: "minutes" });
  });

  it("ends what prints too much, and hands on what it may print", async () => {
    const { exit, stdout } = await inSandbox("output", { limits: { outputBytes: 1000 } }, "echo first; yes");
    expect(exit).toMatchObject({ limit: "output_bytes" });
    expect(stdout).toHaveLength(1000);
    expect(stdout).toMatch(/^first\ny\ny/);
  });

  it("ends what computes too long", async () => {
    const { exit } = await inSandbox("cpu", { limits: { cpuSeconds: 1 } }, "while :; do :; done");
    expect([exit.code, exit.signal]).toEqual([137, null]);
  });

  it("bounds the size of a file", async () => {
    const { exit, stdout } = await inSandbox(
      "file",
      { limits: { fileSize: MIB } },
      "head -c 3000000 /dev/zero > big; stat -c %s big; exit 3",
    );
    expect(exit.code).toBe(3);
    expect(stdout).toBe(`${MIB}\n`);
  });

  it("bounds every temporary place, and there is no other place to fill", async () => {
    const script = `for d in /tmp /home/agent /dev/shm; do head -c 9000000 /dev/zero > $d/big 2>/dev/null; stat -c '%s' $d/big; done
      for d in / /dev /opt /run /etc /home; do touch $d/x 2>/dev/null && echo "$d is open"; done; true`;
    const { stdout } = await inSandbox("fill", { limits: { temporary: 4 * MIB } }, script);
    expect(stdout).toBe(`${4 * MIB}\n`.repeat(3));
  });

  it("bounds memory when asked to", async () => {
    const script = "const all = []; for (;;) all.push(Buffer.alloc(16 * 2 ** 20, 1)), console.log(all.length);";
    const { stdout, exit } = await inSandbox("memory", { limits: { memory: 512 * MIB } }, script, ["node", "-e"]);
    expect(exit.code).not.toBe(0);
    expect(stdout.trim().split("\n").length).toBeLessThan(33);
  });

  it("bounds the memory of all processes together, of which each keeps within it", async () => {
    const child = "const all = Buffer.alloc(160 * 2 ** 20, 1); console.log('held'); setInterval(() => all[0]++, 50)";
    const script = `const { spawn } = require("node:child_process");
      for (let i = 0; i < 6; i++) spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });
      setTimeout(() => console.log("all of them lived on"), 60_000);`;
    const { stdout, exit } = await inSandbox("processes", { limits: { memory: 512 * MIB } }, script, ["node", "-e"]);
    expect(exit).toMatchObject({ limit: "memory" });
    expect(stdout).not.toContain("lived on");
  });

  it.skipIf(!existsSync("/usr/bin/python3"))(
    "bounds memory that is shared, which no limit on data counts",
    async () => {
      const script = `import mmap, time
m = mmap.mmap(-1, 700 << 20)
for at in range(0, 700 << 20, 4096): m[at] = 1
time.sleep(60)
print("700 MiB were held")`;
      const { stdout, exit } = await inSandbox("shared", { limits: { memory: 256 * MIB } }, script, ["python3", "-c"]);
      expect(exit).toMatchObject({ limit: "memory" });
      expect(stdout).toBe("");
    },
  );
});

describe.skipIf(!STRONG)("what a sandbox is made of", () => {
  it("works below a closed directory, with blanks and other letters in every path", async () => {
    const closed = join(place.folder, "clo sed ö");
    mkdirSync(closed, { mode: 0o700 });
    const program = join(closed, "agent 'x'");
    mkdirSync(program);
    writeFileSync(join(program, "run.sh"), "#!/bin/sh\necho agent\n");
    chmodSync(join(program, "run.sh"), 0o755);
    const login = join(closed, "auth.json");
    writeFileSync(login, "login", { mode: 0o600 });
    const workspace = ownFolder(null, join(closed, "work"));
    const sandbox = await openSandbox({
      workspace,
      writable: "whole",
      records: join(closed, "records"),
      readOnly: [program],
      homeFiles: { ".codex/auth.json": login },
      home: join(closed, "home"),
    });
    const run = sandbox.inside(join(program, "run.sh")) ?? "";
    const script = `"${run}"; cat ~/.codex/auth.json; echo; echo x > made; echo kept > ~/kept; echo x > "${run}" || echo x > ~/.codex/auth.json || pwd`;
    const started = sandbox.spawn({ argv: ["sh", "-c", script] });
    const said = await text(started.stdout);
    await started.exited;
    expect(said).toBe("agent\nlogin\n/ws\n");
    expect(run).not.toContain(closed);
    expect(existsSync(join(workspace, "made")) && existsSync(join(closed, "home", "kept"))).toBe(true);
    await sandbox.close();
  });

  it.each([
    ["a folder", "mv ~/.codex ~/.x; ln -s /oldroot$VICTIM ~/.codex"],
    ["a file", "mv ~/.codex ~/.x; mkdir ~/.codex; ln -s /oldroot$VICTIM/made ~/.codex/auth.json"],
  ])("mounts nothing through %s that was swapped for a link in a home that stays", async (_, script) => {
    const folder = mkdtempSync(join(place.folder, "swapped-"));
    chmodSync(folder, 0o755);
    const victim = ownFolder(null, join(folder, "victim"));
    chmodSync(victim, 0o777);
    writeFileSync(join(folder, "auth.json"), "login");
    const sandbox = await openSandbox({
      workspace: ownFolder(null, join(folder, "work")),
      writable: "whole",
      records: join(folder, "records"),
      homeFiles: { ".codex/auth.json": join(folder, "auth.json") },
      home: join(folder, "home"),
    });
    expect((await sandbox.spawn({ argv: ["sh", "-c", script], env: { VICTIM: victim } }).exited).code).toBe(0);
    const second = sandbox.spawn({ argv: ["true"] });
    expect(await second.exited).toMatchObject({ code: null, error: expect.stringContaining("left a link") });
    await sandbox.close();
    expect(readdirSync(victim), "bubblewrap would have made a file here").toEqual([]);
  });

  it.each([["link"], ["link/below"], [".."], ["/etc"], ["a/../.."], ["dangling"]])("mounts no %s", async (path) => {
    const workspace = ownFolder(null, join(place.folder, "links"));
    if (!existsSync(join(workspace, "link"))) symlinkSync("/etc", join(workspace, "link"));
    if (path === "dangling") symlinkSync("/nowhere/yet", join(workspace, "dangling"));
    const opened = openSandbox({ workspace, writable: [path], records: join(place.folder, "records") });
    await expect(opened).rejects.toMatchObject({ code: "USAGE" });
  });

  it("shows no home directory as a program", async () => {
    const workspace = ownFolder(null, join(place.folder, "home"));
    const opened = openSandbox({
      workspace,
      writable: "whole",
      records: join(place.folder, "records"),
      readOnly: ["/"],
    });
    await expect(opened).rejects.toMatchObject({ code: "USAGE" });
  });

  it("a program that is not there is an exit, not an exception", async () => {
    expect((await inSandbox("absent", {}, "x", ["/nowhere/at-all"])).exit.code).not.toBe(0);
  });
});
