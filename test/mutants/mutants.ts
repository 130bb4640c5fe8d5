import type { Mutant } from "./mutant.js";
import { s0 } from "./s0.js";
import { s1 } from "./s1.js";
import { s2 } from "./s2.js";
import { s3 } from "./s3.js";
import { s4 } from "./s4.js";

/** All mutants, in the order of the specifications. */
export const mutants: readonly Mutant[] = [...s0, ...s1, ...s2, ...s3, ...s4];
