#!/usr/bin/env node
import { CommanderError } from "commander";
import { buildProgram } from "./arguments/program.js";
import { readGlobals } from "./arguments/globals.js";
import { EXIT, type ExitCode } from "../app/exit-codes.js";
import { failureOf, usageFailure } from "./failure.js";
import type { Finished } from "../app/report.js";
import { print } from "./views/print.js";

/*
 * arguments → command → view. A command is imported when it is called, so that help and version answer at once.
 */

// Anyone who reads our output may stop reading: that is not a failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(
    `Error: The output could not be written: ${error.message} [FILE_WRITE_FAILED]\n` +
      "Fix: Make room where the output goes. Completed work is kept: coordinator status shows the state.\n",
  );
  process.exit(EXIT.failed);
});
// Anyone who closed it does not want to hear of it.
process.stderr.on("error", () => undefined);
process.once("SIGINT", () => {
  process.stderr.write(
    "Interrupted. A plan folder holds the old plan or the new one, a log what was taken; nothing is half.\n",
  );
  process.exit(EXIT.interrupted);
});

// Not awaited: a module that is loaded while this one still waits, and is bundled with it, would wait for it in turn.
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

async function main(argv: readonly string[]): Promise<ExitCode> {
  const globals = readGlobals(argv, process);
  let finished: Finished | null = null;
  try {
    const program = buildProgram(process, (result) => (finished = result));
    await program.parseAsync(argv.map(asWords), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    finished = error instanceof CommanderError ? usageFailure(error) : failureOf(error, process.env);
  }
  if (finished === null) return EXIT.done;
  await print(finished, globals, process);
  return finished.exitCode;
}

/** A list of what is wanted begins with a dash and a blank, and is not an option. */
function asWords(argument: string): string {
  return /^[-*]\s/.test(argument) ? ` ${argument}` : argument;
}
