import { parseArgs } from "node:util";

/** An error in the arguments, not in what a script looks at. */
export class Refused extends Error {}

/** Runs a script to its end; a refusal is told in one message, and exits with 2. */
export async function runScript(main, cleanUp = () => undefined) {
  try {
    process.exitCode = (await main()) ?? process.exitCode;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  } finally {
    cleanUp();
  }
}

/** The arguments of a script. Contract: throws `Refused` with the usage for what is not one of its options. */
export function parseWords(options, usage) {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    throw new Refused(`${error.message}\n${usage}`);
  }
}
