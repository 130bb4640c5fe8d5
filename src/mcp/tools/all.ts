import type { Tool } from "../tool.js";
import { INBOX } from "./inbox.js";
import { REQUESTS } from "./requests.js";
import { RESULTS } from "./results.js";
import { RUNS } from "./runs.js";

/** Every tool, in the order in which clients are told of them. */
export const TOOLS: readonly Tool[] = [...REQUESTS, ...RUNS, ...INBOX, ...RESULTS];
