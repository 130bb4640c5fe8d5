import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/*
 * A Postgres server of a test's own: a cluster in a temporary folder, on a spare port of the loopback address, with no
 * password. It ends with the process that started it. Postgres refuses to run as root, so root starts it as `postgres`.
 */

export interface PostgresServer {
  /** The address of a store in a schema of this name, as the user `postgres`. */
  url(schema: string, user?: string): string;
  /** Runs SQL as the administrator; throws when it fails. */
  sql(text: string): string;
  readonly port: number;
  readonly folder: string;
  /** Ends it as a crash would, without its clients being told. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes everything. */
  remove(): Promise<void>;
}

/** The folder of the server's programs; null where there is none. */
function programFolder(): string | null {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return places.find((place) => existsSync(join(place, "initdb")) && existsSync(join(place, "postgres"))) ?? null;
}

const isRoot = process.getuid?.() === 0;

function idsOfPostgres(): { readonly uid: number; readonly gid: number } | null {
  const row = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.startsWith("postgres:"));
  const [, , uid, gid] = row?.split(":") ?? [];
  return uid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

/** Why no server can be started here; null when one can. */
export function whyNoPostgres(): string | null {
  if (programFolder() === null) return "Postgres is not installed: apt-get install postgresql";
  if (isRoot && idsOfPostgres() === null) return "root needs a user named postgres to start Postgres as";
  return null;
}

export async function startPostgres(): Promise<PostgresServer> {
  const programs = programFolder();
  if (programs === null) throw new Error("Postgres is not installed");
  const folder = mkdtempSync(join(tmpdir(), "coordinator-pg-"));
  const ids = isRoot ? idsOfPostgres() : null;
  if (ids !== null) chownSync(folder, ids.uid, ids.gid);
  const asUser = ids === null ? {} : { uid: ids.uid, gid: ids.gid };
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", HOME: folder };
  const data = join(folder, "data");
  const made = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"],
    { cwd: folder, env, encoding: "utf8", ...asUser, timeout: 60_000 },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  appendFileSync(
    join(data, "postgresql.conf"),
    "fsync = off\nfull_page_writes = off\nshared_buffers = 16MB\nmax_connections = 60\nautovacuum = off\n",
  );
  const port = await sparePort();
  let server: ChildProcess | null = null;

  function psql(database: string, text: string) {
    const words = [
      "-X",
      "-q",
      "-A",
      "-t",
      "-v",
      "ON_ERROR_STOP=1",
      "-h",
      "127.0.0.1",
      "-p",
      String(port),
      "-U",
      "postgres",
    ];
    return spawnSync(join(programs as string, "psql"), [...words, "-d", database], {
      cwd: folder,
      env,
      encoding: "utf8",
      input: text,
      timeout: 30_000,
    });
  }

  async function start(): Promise<void> {
    const words = ids === null ? [] : ["--reuid", String(ids.uid), "--regid", String(ids.gid), "--clear-groups"];
    const own = [
      join(programs as string, "postgres"),
      "-D",
      data,
      "-p",
      String(port),
      "-k",
      folder,
      "-c",
      "listen_addresses=127.0.0.1",
    ];
    const child = spawn("setpriv", [...words, "--pdeathsig", "QUIT", ...own], { cwd: folder, env, stdio: "ignore" });
    server = child;
    for (let tries = 0; psql("postgres", "SELECT 1").status !== 0; tries++) {
      if (tries > 300 || child.exitCode !== null) throw new Error("Postgres did not start");
      await sleep(50);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const child = server;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  try {
    await start();
  } catch (error) {
    await end("SIGQUIT");
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    port,
    folder,
    url: (schema, user = "postgres") => `postgres://${user}@127.0.0.1:${port}/postgres?schema=${schema}`,
    sql(text) {
      const { status, stdout, stderr } = psql("postgres", text);
      if (status !== 0) throw new Error(stderr);
      return stdout.trim();
    },
    // SIGQUIT is the "immediate" shutdown: nothing is written out, and the next start recovers.
    kill: () => end("SIGQUIT"),
    start,
    async remove() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function sparePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
