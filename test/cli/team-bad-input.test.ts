import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { coordinatorJson, type RunOptions, workFolder } from "./program.js";

/*
 * What is wrong with the store of a team, told by the program: the code, what is wrong and how it is mended, and nothing begun. Each
 * is met twice: by `migrate`, which would begin to use the store, and by `doctor` in a clone that uses it already.
 */

const missing = whyNoPostgres();
const CLOCK = "const now = Date.now.bind(Date); Date.now = () => now() + 300_000;";
const FAST_CLOCK = `data:text/javascript,${encodeURIComponent(CLOCK)}`;
let server: PostgresServer;
let old: Server;

interface Case {
  readonly name: string;
  readonly url: () => string;
  readonly options?: RunOptions;
  readonly code: string;
  readonly exit: number;
  readonly says: RegExp;
  readonly fix: RegExp;
  /** What doctor says, where that is not the message of the error. */
  readonly doctor?: RegExp;
}

const portOf = (one: Server) => (one.address() as { port: number }).port;

const CASES: readonly Case[] = [
  {
    name: "an address of another kind of database",
    url: () => "mysql://ada@127.0.0.1/team",
    code: "STORE_ADDRESS",
    exit: 2,
    says: /neither sqlite nor a Postgres address/,
    fix: /postgres:\/\/USER@HOST:PORT\/DATABASE\?schema=NAME/,
    doctor: /is not a Postgres address/,
  },
  {
    name: "an address with a password in it",
    url: () => "postgres://ada:canary-in-address@127.0.0.1/team",
    code: "STORE_ADDRESS",
    exit: 2,
    says: /holds a password/,
    fix: /COORDINATOR_STORE_PASSWORD/,
  },
  {
    name: "a server that is not there",
    url: () => "postgres://ada@127.0.0.1:9/team",
    code: "STORE_UNREACHABLE",
    exit: 1,
    says: /cannot be reached: connect ECONNREFUSED/,
    fix: /Check host and port/,
  },
  {
    name: "a database that is not there",
    url: () => server.url("none").replace("/postgres?", "/nowhere?"),
    code: "STORE_ADDRESS",
    exit: 2,
    says: /is not there: database "nowhere" does not exist/,
    fix: /createdb/,
  },
  {
    name: "a password that is refused",
    url: () => server.url("none", "locked"),
    options: { env: { COORDINATOR_STORE_PASSWORD: "canary-that-is-wrong" } },
    code: "STORE_REFUSED",
    exit: 4,
    says: /refused this user: password authentication failed/,
    fix: /COORDINATOR_STORE_PASSWORD_FILE/,
  },
  {
    name: "a user who may not make a schema",
    url: () => server.url("none", "poor"),
    code: "STORE_REFUSED",
    exit: 4,
    says: /refused what the store needs: permission denied/,
    fix: /GRANT CREATE ON DATABASE/,
    doctor: /this user may not write there/,
  },
  {
    name: "a server that is too old",
    url: () => server.url("none").replace(`:${server.port}/`, `:${portOf(old)}/`),
    code: "STORE_SERVER_OLD",
    exit: 1,
    says: /is on Postgres 12, and 13 is the oldest that will do/,
    fix: /Upgrade the server/,
  },
  {
    name: "a clock that is five minutes ahead",
    url: () => server.url("none"),
    options: { preload: [FAST_CLOCK] },
    code: "STORE_CLOCK",
    exit: 1,
    says: /The clock of this machine is (?:29\d|300|301) seconds ahead of that of the store/,
    fix: /timedatectl set-ntp true/,
    doctor: /the clocks differ by (?:29\d|300|301) s; from 60 s on nothing is written/,
  },
  {
    name: "two passwords",
    url: () => server.url("none"),
    options: { env: { COORDINATOR_STORE_PASSWORD: "canary-one", COORDINATOR_STORE_PASSWORD_FILE: "/canary-two" } },
    code: "STORE_ADDRESS",
    exit: 2,
    says: /Both COORDINATOR_STORE_PASSWORD and COORDINATOR_STORE_PASSWORD_FILE are set/,
    fix: /Unset one of them/,
  },
];

/** A way to the server on which it says that it is of version 12. */
async function olderServer(): Promise<Server> {
  const version = server.sql("SHOW server_version_num");
  const proxy = createServer((client) => {
    const upstream = connect(server.port, "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (chunk) =>
      client.write(Buffer.from(chunk.toString("latin1").replaceAll(version, "120022"), "latin1")),
    );
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

describe.skipIf(missing !== null)(
  `bad input about the store of a team${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    beforeAll(async () => {
      server = await startPostgres();
      server.sql("CREATE ROLE locked LOGIN PASSWORD 'right-canary'; CREATE ROLE poor LOGIN");
      server.sql("REVOKE CREATE ON DATABASE postgres FROM PUBLIC");
      const file = join(server.folder, "data", "pg_hba.conf");
      writeFileSync(file, `host all locked 127.0.0.1/32 scram-sha-256\n${readFileSync(file, "utf8")}`);
      server.sql("SELECT pg_reload_conf()");
      old = await olderServer();
    }, 90_000);
    afterAll(async () => {
      old?.close();
      await server?.remove();
    });

    it.each(CASES)(
      "$name is refused with $code",
      async ({ url, options = {}, code, exit, says, fix, doctor = says }) => {
        const cwd = workFolder();
        const error = await coordinatorJson(["migrate", "--to", url()], { ...options, cwd });
        expect([error.code, error.json["code"], error.json["message"], error.json["fix"]]).toEqual([
          exit,
          code,
          expect.stringMatching(says),
          expect.stringMatching(fix),
        ]);
        expect(existsSync(join(cwd, ".coordinator", "store.json"))).toBe(false);
        expect(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'none'")).toBe("0");

        mkdirSync(join(cwd, ".coordinator"), { recursive: true });
        writeFileSync(join(cwd, ".coordinator", ".gitignore"), "*\n");
        writeFileSync(join(cwd, ".coordinator", "store.json"), JSON.stringify({ store: url() }));
        const examined = await coordinatorJson(["doctor", "--no-checks"], { ...options, cwd });
        const found = (examined.json["checks"] as { name: string; status: string; detail: string; fix: string }[]).find(
          ({ name }) => name === "store",
        );
        expect([found?.status, found?.detail]).toEqual(["bad", expect.stringMatching(doctor)]);
        expect(found?.fix).not.toBe("");
        expect(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'none'")).toBe("0");
        expect(error.stdout + error.stderr + examined.stdout + examined.stderr).not.toContain("canary");
      },
      60_000,
    );

    it("a setting beside a log in a file is refused by every command, with how it is mended, and both stay", async () => {
      const cwd = workFolder();
      const folder = join(cwd, ".coordinator");
      mkdirSync(folder);
      writeFileSync(join(folder, ".gitignore"), "*\n");
      writeFileSync(join(folder, "runs.db"), "a log");
      writeFileSync(join(folder, "store.json"), JSON.stringify({ store: server.url("none") }));
      for (const command of [["status"], ["inbox"], ["answer", "q_C", "x"], ["cancel", "last"]]) {
        const { code, json } = await coordinatorJson(command, { cwd });
        expect([command, code, json["code"], json["message"], json["fix"]]).toEqual([
          command,
          2,
          "STORE_ADDRESS",
          expect.stringMatching(/names a store, and there is a log of runs in .*runs\.db as well/),
          expect.stringContaining("coordinator migrate --to ADDRESS"),
        ]);
      }
      expect(readFileSync(join(folder, "runs.db"), "utf8")).toBe("a log");
      expect(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'none'")).toBe("0");
    }, 60_000);
  },
);
