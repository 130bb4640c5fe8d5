import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { coordinatorJson, type RunOptions, workFolder } from "./program.js";

/*
 * What is wrong with the store, the remote or the settings of workers, told by the program: the code, what is wrong and how it is
 * mended. Nothing is taken, and nothing is left on the remote.
 */

const missing = whyNoPostgres();
const CLOCK = "const now = Date.now.bind(Date); Date.now = () => now() - 180_000;";
const SLOW_CLOCK = `data:text/javascript,${encodeURIComponent(CLOCK)}`;
let server: PostgresServer;
let folder: string;

interface Case {
  readonly name: string;
  readonly store?: () => string;
  readonly remote?: () => string;
  readonly options?: RunOptions;
  readonly before?: () => void;
  readonly code: string;
  readonly exit: number;
  readonly says: RegExp;
  readonly fix: RegExp;
}

/** A bare repository; one that refuses has a hook that says no. */
function remoteAt(name: string, hook?: string): string {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  expect(spawnSync("git", ["init", "-q", "--bare", path]).status).toBe(0);
  if (hook !== undefined) {
    writeFileSync(join(path, "hooks", "pre-receive"), hook);
    chmodSync(join(path, "hooks", "pre-receive"), 0o755);
  }
  return path;
}

const REFUSES = "#!/bin/sh\necho 'no refs of yours here' >&2\nexit 1\n";

const CASES: readonly Case[] = [
  {
    name: "a store that is no Postgres address",
    store: () => "sqlite",
    code: "STORE_ADDRESS",
    exit: 2,
    says: /is not a Postgres address/,
    fix: /postgres:\/\/USER@HOST:PORT\/DATABASE\?schema=NAME/,
  },
  {
    name: "a server that is not there",
    store: () => "postgres://ada@127.0.0.1:9/team",
    code: "STORE_UNREACHABLE",
    exit: 1,
    says: /cannot be reached/,
    fix: /Check host and port/,
  },
  {
    name: "a password that is refused",
    store: () => server.url("none", "locked"),
    options: { env: { COORDINATOR_STORE_PASSWORD: "canary-that-is-wrong" } },
    code: "STORE_REFUSED",
    exit: 4,
    says: /refused this user: password authentication failed/,
    fix: /COORDINATOR_STORE_PASSWORD_FILE/,
  },
  {
    name: "a user who may make no tables for the engine",
    store: () => server.url("half", "half"),
    code: "STORE_REFUSED",
    exit: 4,
    says: /may not make the schema half_engine$/,
    fix: /CREATE SCHEMA half_engine AUTHORIZATION/,
  },
  {
    name: "a clock that is three minutes behind",
    options: { preload: [SLOW_CLOCK] },
    code: "STORE_CLOCK",
    exit: 1,
    says: /is 1(?:79|80|81) seconds behind/,
    fix: /timedatectl set-ntp true/,
  },
  {
    name: "a remote with a password in it",
    remote: () => "https://ada:canary-in-remote@127.0.0.1/shop.git",
    code: "ENGINE_SETTING",
    exit: 2,
    says: /holds a password/,
    fix: /credential helper/,
  },
  {
    name: "a remote that is not there",
    remote: () => join(folder, "nowhere.git"),
    code: "REMOTE_UNREACHABLE",
    exit: 1,
    says: /cannot be read/,
    fix: /git ls-remote/,
  },
  {
    name: "a remote that refuses a push",
    remote: () => remoteAt("refuses.git", REFUSES),
    code: "REMOTE_REFUSED",
    exit: 4,
    says: /it refuses/,
    fix: /write refs\/coord\/\*/,
  },
  {
    name: "workers of another version",
    store: () => server.url("other"),
    before: () => {
      server.sql(`INSERT INTO other.workers (id, host, pid, version, protocol, abilities, capacity, valid_until)
        VALUES ('old', 'elsewhere', 1, '0.0.1', '0', '{}', 1, clock_timestamp() + interval '1 hour')`);
    },
    code: "WORKER_VERSION",
    exit: 4,
    says: /is used with version 0$/,
    fix: /the same version of this program/,
  },
];

describe.skipIf(missing !== null)(`bad input about workers${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  beforeAll(async () => {
    folder = workFolder(undefined, "kept");
    server = await startPostgres();
    server.sql(
      "CREATE ROLE locked LOGIN PASSWORD 'right-canary'; CREATE ROLE half LOGIN; CREATE SCHEMA half AUTHORIZATION half",
    );
    server.sql("REVOKE CREATE ON DATABASE postgres FROM PUBLIC");
    const file = join(server.folder, "data", "pg_hba.conf");
    server.run("psql", ["-q", "-d", "postgres"], "SELECT pg_reload_conf()");
    writeFileSync(file, `host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n`);
    server.sql("SELECT pg_reload_conf()");
    // A store that is there, so that what is wrong is found behind it.
    const made = await coordinatorJson(["migrate", "--to", server.url("other")], {
      cwd: workFolder(undefined, "kept"),
    });
    expect(made.code).toBe(0);
  }, 120_000);
  afterAll(() => server?.remove());

  it.each(CASES)(
    "$name ends a worker with $code before it takes anything",
    async ({ store, remote, options = {}, before, code, exit, says, fix }) => {
      before?.();
      const [address, git] = [store?.() ?? server.url("fine"), remote?.() ?? remoteAt("fine.git")];
      const place = join(workFolder(), "place");
      const words = ["worker", "--postgres", address, "--git", git, "--folder", place];
      const ended = await coordinatorJson(words, options);
      expect([ended.code, ended.json["code"], ended.json["message"], ended.json["fix"]]).toEqual([
        exit,
        code,
        expect.stringMatching(says),
        expect.stringMatching(fix),
      ]);
      expect(ended.stdout + ended.stderr).not.toContain("canary");
      for (const bare of readdirSync(folder))
        expect([
          bare,
          spawnSync("git", ["-C", join(folder, bare), "for-each-ref"], { encoding: "utf8" }).stdout,
        ]).toEqual([bare, ""]);
      expect(server.sql("SELECT count(*) FROM other.offers WHERE taken_by IS NOT NULL")).toBe("0");
    },
    60_000,
  );

  it.each([
    [["--to", "sqlite", "--engine", "dbos"], /needs a store in Postgres/, /--engine dbos --remote GIT-REMOTE/],
    [["--engine", "dbos"], /needs a store in Postgres/, /coordinator migrate --to postgres/],
    [["--to", "STORE", "--engine", "dbos"], /needs the git remote/, /--remote GIT-REMOTE/],
    [["--to", "STORE", "--remote", "/srv/shop.git"], /the engine is local/, /Name the engine dbos as well/],
  ])(
    "settings that contradict each other are refused: %j",
    async (words, says, fix) => {
      const cwd = workFolder();
      const asked = words.map((word) => (word === "STORE" ? server.url("none") : word));
      const { code, json } = await coordinatorJson(["migrate", ...asked], { cwd });
      expect([code, json["code"], json["message"], json["fix"]]).toEqual([
        2,
        "ENGINE_SETTING",
        expect.stringMatching(says),
        expect.stringMatching(fix),
      ]);
      expect(existsSync(join(cwd, ".coordinator", "store.json"))).toBe(false);
      expect(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'none'")).toBe("0");
    },
    60_000,
  );

  it("doctor names the remote and the workers, each with what to do, and writes nothing there", async () => {
    const cwd = workFolder();
    mkdirSync(join(cwd, ".coordinator"));
    writeFileSync(join(cwd, ".coordinator", ".gitignore"), "*\n");
    const examined = async (remote: string) => {
      const setting = { store: server.url("other"), engine: "dbos", remote };
      writeFileSync(join(cwd, ".coordinator", "store.json"), JSON.stringify(setting));
      const { json } = await coordinatorJson(["doctor", "--no-checks"], { cwd });
      const checks = json["checks"] as { name: string; status: string; detail: string; fix: string | null }[];
      return Object.fromEntries(checks.map(({ name, ...found }) => [name, found]));
    };
    server.sql("DELETE FROM other.workers");
    expect(await examined(remoteAt("fine.git"))).toMatchObject({
      remote: { status: "good", detail: expect.stringContaining("can be read") },
      workers: {
        status: "weak",
        detail: expect.stringContaining("no worker is there"),
        fix: expect.stringContaining("coordinator worker"),
      },
    });
    server.sql(`INSERT INTO other.workers (id, host, pid, version, protocol, abilities, capacity, valid_until)
        VALUES ('old', 'elsewhere', 1, '0.0.1', '0',
          '{"labels": [], "accepts": [], "sandbox": "strong", "without_sandbox": false, "agents": [], "lacks": []}', 1,
          clock_timestamp() + interval '1 hour')`);
    expect(await examined(join(folder, "nowhere.git"))).toMatchObject({
      remote: {
        status: "bad",
        detail: expect.stringContaining("cannot be read"),
        fix: expect.stringContaining("git ls-remote"),
      },
      workers: {
        status: "bad",
        detail: expect.stringContaining("old speaks version 0"),
        fix: expect.stringContaining("same version"),
      },
    });
    expect(spawnSync("git", ["-C", remoteAt("fine.git"), "for-each-ref"], { encoding: "utf8" }).stdout).toBe("");
  }, 90_000);
});
