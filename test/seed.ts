import * as fc from "fast-check";

/**
 * The same examples on every machine: a change is judged by what it changes, not by the luck of the draw. To look for
 * what these examples miss, `COORDINATOR_SEED=random npx vitest run` draws new ones and prints the seed of a failure.
 */
const asked = process.env["COORDINATOR_SEED"];
if (asked !== "random") fc.configureGlobal({ seed: Number(asked ?? 1) });
