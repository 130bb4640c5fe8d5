// A program that uses the library for several projects at once. It reads what to ask from stdin, and says at the end what
// came of each request, which programs were started from this very process, and whether the process is as it was.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { text } from "node:stream/consumers";

const started = [];
for (const name of ["spawn", "spawnSync", "fork", "execFile", "execFileSync", "exec", "execSync"]) {
  const start = childProcess[name];
  childProcess[name] = (command, ...rest) => {
    started.push([command, ...(Array.isArray(rest[0]) ? rest[0] : [])].join(" "));
    return start(command, ...rest);
  };
}
syncBuiltinESMExports();

const { library, asked } = JSON.parse(await text(process.stdin));
const { processRequest } = await import(library);
const handlers = () => ["SIGINT", "SIGTERM"].map((name) => process.listenerCount(name));
const state = () => JSON.stringify([process.cwd(), process.env, handlers()]);
const before = state();

const ended = await Promise.all(
  asked.map(async ({ request, options, abortAt }) => {
    const stop = new AbortController();
    const lines = [];
    const watch = (line) => {
      lines.push(line);
      if (line.type === "event" && line.event.type === abortAt) stop.abort(new Error("enough"));
    };
    try {
      return { response: await processRequest(request, { ...options, watch, signal: stop.signal }), lines };
    } catch (error) {
      return { error: { message: error.message, code: error.code, fix: error.fix }, lines };
    }
  }),
);
process.stdout.write(JSON.stringify({ ended, started, isAsBefore: state() === before }));
