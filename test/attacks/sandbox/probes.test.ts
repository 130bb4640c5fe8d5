import { execFileSync, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Told } from "./coordinator.js";
import {
  compileC,
  COORDINATORS,
  copyInto,
  ownFolder,
  prepare,
  startCoordinator,
  STRONG,
  told,
} from "./coordinators.js";

/*
 * Programs that mean harm, in a sandbox. Every probe has to fail there, for a Coordinator that is root and for one that has
 * no rights; and, where that is safe to show, has to succeed outside, so that its failing says something.
 */

interface Result {
  readonly probe: string;
  readonly result: "reached" | "denied" | "none";
  readonly why: string;
}

const CANARY = "canary-3f9a1c77e2";
let place: Awaited<ReturnType<typeof prepare>>;
let calls: string | null;
const servers: Server[] = [];
let port = 0;

beforeAll(async () => {
  place = await prepare();
  calls = compileC("system-calls", place.folder);
  port = await serve(0);
  await serve({ path: "\0coordinator-attacks" });
  await serve({ path: join(place.folder, "coordinator.sock") });
});

afterAll(() => {
  servers.forEach((server) => server.close());
  place.remove();
});

function serve(at: number | { path: string }): Promise<number> {
  const server = createServer((socket) => socket.end());
  servers.push(server);
  return new Promise((resolve) =>
    server.listen(typeof at === "number" ? { port: at, host: "127.0.0.1" } : at, () =>
      resolve((server.address() as { port?: number } | null)?.port ?? 0),
    ),
  );
}

/** A workspace with what the probes look for around it. */
function scene(name: string, uid: number | null) {
  const root = ownFolder(uid, join(place.folder, name));
  const workspace = ownFolder(uid, join(root, "work space ü"));
  for (const folder of ["src", "docs"]) ownFolder(uid, join(workspace, folder));
  const outside = ownFolder(uid, join(root, "outside"));
  const files = {
    outsideFile: join(outside, "canary.txt"),
    homeFile: join(ownFolder(uid, join(root, "home")), ".secret"),
    storeFile: join(ownFolder(uid, join(root, "store")), "runs.db"),
  };
  const records = join(root, "records");
  const given = { ...files, outside, records, canary: CANARY, pid: process.pid, port, abstract: "coordinator-attacks" };
  const put = (path: string, text: string) => {
    writeFileSync(path, text);
    if (uid !== null) chownSync(path, uid, uid);
  };
  for (const path of Object.values(files)) put(path, CANARY);
  put(join(workspace, "docs", "kept.txt"), "kept");
  put(join(workspace, "src", "protected.json"), "{}");
  put(join(workspace, "given.json"), JSON.stringify({ ...given, socket: join(place.folder, "coordinator.sock") }));
  copyInto("surroundings.mjs", workspace);
  if (calls !== null) cpSync(calls, join(workspace, "system-calls"));
  return { root, workspace, outside, records, home: join(root, "home") };
}

function parse(text: string): Result[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Result);
}

/** What may be reached: nothing, except for what is not harm and is named here. */
const reached = (results: readonly Result[]) =>
  results.filter(({ result }) => result === "reached").map(({ probe, why }) => `${probe}: ${why}`);

describe.skipIf(!STRONG)("a program that means harm", () => {
  describe.each(COORDINATORS)("in a sandbox of a Coordinator that is $name", ({ name, uid }) => {
    let stage: ReturnType<typeof scene>;
    let answer: Told;

    beforeAll(async () => {
      stage = scene(`sandboxed-${name}`, uid);
      const inherited = openSync(join(stage.root, "inherited"), "w+");
      const options = {
        workspace: stage.workspace,
        writable: ["src"],
        protected: ["src/protected.json", "src/absent.json"],
        records: stage.records,
      };
      const commands = [{ argv: ["node", "surroundings.mjs"] as const }, { argv: ["./system-calls"] as const }];
      const env = { SECRET_KEY: CANARY, HOME: stage.home, SSH_AUTH_SOCK: CANARY };
      // Under a number of its own, and not closing by itself: as a careless program would start a Coordinator.
      answer = await told(startCoordinator(place.program, uid, { options, commands }, env, inherited));
    });

    it("finds nothing of the Coordinator and its machine, and reaches nobody", () => {
      const results = parse(answer.results[0]?.stdout ?? "");
      expect(reached(results)).toEqual([]);
      expect(results.length).toBeGreaterThanOrEqual(45);
      expect(answer.results[0]?.stdout).not.toContain(CANARY);
    });

    it("gets through no system call that leads out", () => {
      if (calls === null) return console.log("left out: there is no C compiler (cc) to build the probes with");
      const results = parse(answer.results[1]?.stdout ?? "");
      expect(reached(results)).toEqual([]);
      expect(results.length).toBeGreaterThanOrEqual(60);
    });

    it("leaves everything around it as it was", () => {
      expect(readdirSync(stage.outside)).toEqual(["canary.txt"]);
      expect(readFileSync(join(stage.workspace, "docs", "kept.txt"), "utf8")).toBe("kept");
      expect(readFileSync(join(stage.workspace, "src", "protected.json"), "utf8")).toBe("{}");
      expect(existsSync(join(stage.workspace, "src", "absent.json"))).toBe(false);
      expect(readdirSync(stage.records)).toEqual([]);
    });
  });

  it("would reach it all outside of a sandbox", () => {
    const { workspace, records } = scene("control", null);
    mkdirSync(records);
    const around = spawnSync(process.execPath, ["surroundings.mjs", "control"], {
      cwd: workspace,
      env: { PATH: process.env["PATH"], SECRET_KEY: CANARY },
      encoding: "utf8",
    });
    const missed = parse(around.stdout)
      .filter(({ result }) => result !== "reached")
      .map(({ probe }) => probe);
    // There is no terminal and no name service in many places where tests run; and nothing hands this one a descriptor.
    const known = [
      "terminal",
      "name of a host",
      "inherited descriptor",
      "further user namespace",
      "shadow",
      "root of the first process",
    ];
    expect(missed.filter((probe) => !known.includes(probe) && !probe.includes("canary on a command"))).toEqual([]);

    if (calls === null || process.getuid?.() !== 0)
      return console.log("left out: the control of the system calls, which needs root and a C compiler");
    // In namespaces of its own, so that mounts and the host name of this machine stay.
    const said = execFileSync("unshare", ["-m", "-u", "-n", "--propagation", "private", calls], { encoding: "utf8" });
    const results = parse(said);
    const without = results.filter(({ result }) => result !== "reached").map(({ probe }) => probe);
    if (without.length > 0) console.log(`not to be had on this kernel, so not controlled: ${without.join(", ")}`);
    expect(results.length - without.length).toBeGreaterThanOrEqual(40);
  });
});

afterAll(() => rmSync("/tmp/coordinator-probe-device", { force: true }));
