// A Postgres of its own for the bench: a fresh cluster on a spare loopback port, started and ended here. Null, with the
// reason, where there is none.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BIN = process.env.PGBIN ?? "/usr/lib/postgresql/15/bin";

function sparePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Postgres refuses to run as root; as root it runs as the user `postgres`, who must own its folder. */
function asItsUser(folder) {
  if (process.getuid() !== 0) return {};
  const id = (what) => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }));
  const user = { uid: id("-u"), gid: id("-g") };
  chownSync(folder, user.uid, user.gid);
  return user;
}

export async function startPostgres() {
  if (!existsSync(join(BIN, "initdb"))) return { reason: `no Postgres at ${BIN}` };
  const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-pg-"));
  chmodSync(folder, 0o700);
  try {
    const user = asItsUser(folder);
    const call = (program, args) =>
      execFileSync(join(BIN, program), args, { ...user, cwd: folder, stdio: "ignore", timeout: 60_000 });
    const data = join(folder, "data");
    const port = await sparePort();
    call("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "--locale=C.UTF-8"]);
    call("pg_ctl", [
      "-D",
      data,
      "-l",
      join(folder, "log"),
      "-w",
      "-o",
      `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200`,
      "start",
    ]);
    let count = 0;
    return {
      /** A database of its own for each measurement. */
      freshUrl: () => `postgresql://postgres@127.0.0.1:${port}/bench_${count++}`,
      stop() {
        call("pg_ctl", ["-D", data, "-m", "immediate", "stop"]);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return { reason: `Postgres did not start: ${error.message.split("\n")[0]}` };
  }
}
