import type { Globals } from "../arguments/globals.js";
import type { Finished } from "../../app/report.js";

interface Streams {
  readonly stdout: { write: (text: string) => unknown; isTTY?: boolean; columns?: number; rows?: number };
  readonly stderr: { write: (text: string) => unknown };
}

/** Show what a command found. JSON always goes to stdout; in text, what went wrong goes to stderr. */
export async function print(
  { report }: Finished,
  { json, color }: Globals,
  { stdout, stderr }: Streams,
): Promise<void> {
  // Commands that wrote their records to stdout themselves have shown everything; nothing else may be there.
  if (report.type === "mcp_served") return;
  if (report.type === "watched" || (report.type === "export" && report.writtenTo === null)) return;
  if (report.type === "diff" && report.text === null && !json) return;
  // A person who watched a run that still continues has seen everything already.
  if (report.type === "response" && report.told !== null && !json && !isOver(report.response.status)) return;
  if (json && report.type === "adr_check") {
    const { adrJson } = await import("../../app/adr/adr-json.js");
    stdout.write(report.records.map((record) => `${JSON.stringify(adrJson(record))}\n`).join(""));
    return;
  }
  if (json && report.type !== "batch") {
    const { toJson } = await import("../../app/json/to-json.js");
    stdout.write(`${JSON.stringify(toJson(report))}\n`);
    return;
  }
  const { toText } = await import("./human/to-text.js");
  const { isTTY, columns, rows } = stdout;
  const size = isTTY === true && columns && rows ? { size: { columns, rows } } : {};
  const text = await toText(report, { color, ...size });
  (report.type === "error" || report.type === "batch" ? stderr : stdout).write(text);
}

function isOver(status: string): boolean {
  return status === "completed" || status === "failed";
}
