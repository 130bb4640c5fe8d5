import { readGlobals } from "../arguments/globals.js";

/** Anyone who follows a run from here: a terminal that is drawn anew, a stream of lines, or a program. */
export async function watcherFor(host: NodeJS.Process, interrupted: AbortSignal | null = null) {
  const terminal = (await import("./process-streams.js")).streamsOf(host);
  const { json, color } = readGlobals(host.argv.slice(2), host);
  if (json) {
    const { jsonWatcher } = await import("../../app/json/watch.js");
    return jsonWatcher((line) => terminal.write(`${JSON.stringify(line)}\n`));
  }
  const { lineWatcher, redrawWatcher } = await import("../views/human/watch.js");
  const { isTTY } = host.stdout;
  const draws = isTTY && host.env["TERM"] !== "dumb" && (host.env["CI"] ?? "") === "";
  const size = () => ({ columns: host.stdout.columns || 80, rows: host.stdout.rows || 24 });
  return draws ? redrawWatcher(terminal, { color }, size, interrupted) : lineWatcher(terminal, { color });
}
