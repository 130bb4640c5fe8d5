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
  /** Runs one of Postgres' own programs, such as pg_dump, against this server; throws when it fails. */
  run(program: string, words: readonly string[], input?: string): string;
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

export interface ServerOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: (folder: string) => readonly string[];
  /** A base backup to recover, with the settings; instead of a new cluster. It becomes this server's own. */
  readonly recovers?: string;
}

export async function startPostgres({ settings, recovers }: ServerOptions = {}): Promise<PostgresServer> {
  const programs = programFolder();
  if (programs === null) throw new Error("Postgres is not installed");
  const folder = mkdtempSync(join(tmpdir(), "coordinator-pg-"));
  const ids = isRoot ? idsOfPostgres() : null;
  if (ids !== null) chownSync(folder, ids.uid, ids.gid);
  const asUser = ids === null ? {} : { uid: ids.uid, gid: ids.gid };
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", HOME: folder };
  const data = recovers ?? join(folder, "data");
  const made =
    recovers === undefined
      ? spawnSync(
          join(programs, "initdb"),
          ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"],
          { cwd: folder, env, encoding: "utf8", ...asUser, timeout: 60_000 },
        )
      : spawnSync("touch", [join(data, "recovery.signal")], { encoding: "utf8", ...asUser });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const lines = [
    "fsync = off",
    "full_page_writes = off",
    "shared_buffers = 16MB",
    "max_connections = 60",
    "autovacuum = off",
  ];
  appendFileSync(join(data, "postgresql.conf"), `${[...lines, ...(settings?.(folder) ?? [])].join("\n")}\n`);
  const port = await sparePort();
  let server: ChildProcess | null = null;

  function ask(program: string, words: readonly string[], input = "") {
    const where = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
    return spawnSync(join(programs as string, program), [...where, ...words], {
      cwd: folder,
      env,
      encoding: "utf8",
      input,
      timeout: 60_000,
      maxBuffer: 256 * 1024 * 1024,
      ...asUser,
    });
  }

  function run(program: string, words: readonly string[], input?: string): string {
    const { status, stdout, stderr } = ask(program, words, input);
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
    return stdout.trim();
  }

  const PSQL = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", "postgres"];

  /** One that recovers answers questions before it takes anything. */
  function isReady(): boolean {
    const { status, stdout } = ask("psql", PSQL, "SELECT pg_is_in_recovery()");
    return status === 0 && stdout.trim() === "f";
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
    for (let tries = 0; !isReady(); tries++) {
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
    sql: (text) => run("psql", PSQL, text),
    run,
    // SIGQUIT is the "immediate" shutdown: nothing is written out, and the next start recovers.
    kill: () => end("SIGQUIT"),
    start,
    async remove() {
      await end("SIGQUIT");
      for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
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
