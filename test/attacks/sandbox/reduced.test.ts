import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LinuxTrial } from "../../../src/hands/sandbox/grade.js";
import {
  compileC,
  COORDINATORS,
  copyInto,
  ownFolder,
  prepare,
  processesWith,
  startCoordinator,
  STRONG,
  told,
} from "./coordinators.js";

/*
 * A sandbox of the grade `reduced`: a part is missing, and everything else has to hold all the same. The parts are taken
 * away one at a time, as the trial of a machine without them would.
 */

/** What the filter alone keeps away. None of it leads out by itself: each is a door that has had a broken lock before. */
const FILTERED = (
  "ptrace vm_read vm_write pidfd_getfd kcmp io_uring add_key request_key keyctl unshare_user clone_user clone3_user " +
  "personality handle clock_settime vsock tiocsti modify_ldt i386"
).split(" ");

interface Lesser {
  readonly what: string;
  readonly machine: Partial<LinuxTrial>;
  readonly lost: readonly string[];
  readonly rootOnly?: true;
}
const LESSER: readonly Lesser[] = [
  { what: "no filter of system calls", machine: { filter: false }, lost: FILTERED },
  { what: "a bubblewrap that cannot forbid user namespaces", machine: { whole: "unknown option" }, lost: [] },
  {
    what: "no user of its own",
    machine: { whole: "no permission", withoutDisableUserns: "no permission" },
    lost: [],
    rootOnly: true,
  },
];
const CASES = LESSER.flatMap((lesser) =>
  COORDINATORS.filter(({ name }) => lesser.rootOnly === undefined || name === "root").map((who) => ({
    ...lesser,
    ...who,
  })),
);
const CANARY = "canary-77b0d1";
let place: Awaited<ReturnType<typeof prepare>>;
let calls: string | null;
let server: Server;

beforeAll(async () => {
  place = await prepare();
  calls = compileC("system-calls", place.folder);
  server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  place.remove();
});

const reached = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { probe: string; result: string; why: string })
    .filter(({ result }) => result === "reached")
    .map(({ probe }) => probe);

describe.skipIf(!STRONG)("a reduced sandbox", () => {
  it.each(CASES)("with $what, for a Coordinator that is $name", async ({ what, name, uid, machine, lost }) => {
    const root = ownFolder(uid, join(place.folder, `${what}-${name}`.replaceAll(/\W+/g, "-")));
    const workspace = ownFolder(uid, join(root, "work"));
    ownFolder(uid, join(workspace, "src"));
    const outside = ownFolder(uid, join(root, "outside"));
    const outsideFile = join(outside, "canary.txt");
    writeFileSync(outsideFile, CANARY);
    const { port } = server.address() as { port: number };
    const files = { outsideFile, homeFile: outsideFile, storeFile: outsideFile, socket: join(root, "none.sock") };
    const given = {
      ...files,
      outside,
      records: join(root, "records"),
      canary: CANARY,
      pid: process.pid,
      port,
      abstract: "x",
    };
    writeFileSync(join(workspace, "given.json"), JSON.stringify(given));
    writeFileSync(join(workspace, "src", "protected.json"), "{}");
    copyInto("surroundings.mjs", workspace);
    if (calls !== null) cpSync(calls, join(workspace, "system-calls"));
    const mark = `9911.${process.pid}${port}${uid ?? 0}${what.length}`;
    const options = {
      workspace,
      writable: ["src"],
      protected: ["src/protected.json", "src/absent.json"],
      records: join(root, "records"),
    };
    const leaving = `setsid -f sleep ${mark} </dev/null >/dev/null 2>&1; (setsid sleep ${mark} >/dev/null 2>&1 &); echo left`;
    const commands = [
      { argv: ["node", "surroundings.mjs"] as const },
      ...(calls === null ? [] : [{ argv: ["./system-calls"] as const }]),
      { argv: ["sh", "-c", leaving] as const },
    ];
    const order = { options, commands, machine };
    const answer = await told(startCoordinator(place.program, uid, order, { SECRET_KEY: CANARY, HOME: root }));
    expect(answer.grade).toBe("reduced");
    const [context, ...others] = answer.results;
    if (calls !== null) {
      const through = reached(others[0]?.stdout ?? "");
      expect(through.filter((probe) => !lost.includes(probe))).toEqual([]);
    }
    expect(reached(context?.stdout ?? "")).toEqual([]);
    expect(context?.stdout).not.toContain(CANARY);
    expect(others.at(-1)?.stdout).toBe("left\n");
    expect(processesWith(mark), "what it left behind ended with it").toEqual([]);
    expect(readdirSync(outside)).toEqual(["canary.txt"]);
    expect(existsSync(join(workspace, "src"))).toBe(true);
  });
});
