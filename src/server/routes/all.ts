import type { Endpoint } from "../endpoint.js";
import { DECIDE } from "./decide.js";
import { DETAIL } from "./detail.js";
import { EVENTS } from "./events.js";
import { RESULTS } from "./results.js";
import { RUNS } from "./runs.js";
import { SERVICE } from "./service.js";

/** Every operation of the API. */
export const ENDPOINTS: readonly Endpoint[] = [...SERVICE, ...RUNS, ...DETAIL, ...DECIDE, ...RESULTS, ...EVENTS];
