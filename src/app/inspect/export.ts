import { resolve } from "node:path";
import { findRun } from "./find.js";
import { publicKeyOf } from "../project/open-runs.js";
import { type TapeFormat, writeTape } from "../prove/tape.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { recordApprovals } from "../decide/approvals.js";
import { withRuns } from "./runs-at.js";
import { writeWhole } from "../project/write-file.js";

export interface ExportArguments {
  readonly run: string;
  readonly out: string | undefined;
  readonly format: TapeFormat;
}

/**
 * The tape of a run: to a file as a whole, or to stdout as it is read.
 *
 * Contract: an approval is in the log before anything is written. The file is there whole or not at all; `write` is waited for, piece by piece.
 */
export function exportRun(
  { run, out, format }: ExportArguments,
  write: (text: string) => Promise<void>,
  context: CommandContext,
): Promise<Finished> {
  return withRuns(context.project, async (reader, at) => {
    const run_id = await findRun(reader, run);
    const after = (await reader.head(run_id))?.sequence ?? 0;
    await recordApprovals(at, run_id, { actions: ["export_tape"], after }, context);
    const pieces = writeTape(reader, run_id, publicKeyOf(at), format);
    if (out === undefined) for await (const piece of pieces) await write(piece);
    else {
      const all: string[] = [];
      for await (const piece of pieces) all.push(piece);
      await writeWhole(resolve(context.cwd, out), all.join(""));
    }
    return finish(EXIT.done, { type: "export", run_id, format, writtenTo: out ?? null });
  });
}
