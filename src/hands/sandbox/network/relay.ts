import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

/*
 * Runs inside of a sandbox, before the agent: brings ports of the sandbox's own loopback to sockets of the Coordinator, for
 * programs that know only TCP. Its arguments are `port=socket`, then `--`, then the command. It ends when the command
 * does, with the same code; when it is killed, the sandbox ends.
 *
 * Contract: one file that imports nothing of this project; it is the only part of it that a sandbox sees.
 */

const cut = process.argv.indexOf("--");
const routes = process.argv.slice(2, cut).map((route) => {
  const at = route.indexOf("=");
  return { port: Number(route.slice(0, at)), path: route.slice(at + 1) };
});
const [program = "", ...args] = process.argv.slice(cut + 1);

await Promise.all(
  routes.map(({ port, path }) => {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path, allowHalfOpen: true });
      near.pipe(far).pipe(near);
      near.on("error", () => far.destroy());
      far.on("error", () => near.destroy());
    });
    return new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
  }),
);

const child = spawn(program, args, { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`${program}: ${error.message}\n`);
  process.exit(127);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
