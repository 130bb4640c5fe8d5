import type { Requirement } from "./requirement.js";
import { s0 } from "./s0.js";
import { s1 } from "./s1.js";
import { s2 } from "./s2.js";
import { s3 } from "./s3.js";
import { s4 } from "./s4.js";

/** Everything the five specifications ask for, in the order of their ids. */
export const requirements: readonly Requirement[] = [...s0, ...s1, ...s2, ...s3, ...s4];
