import type { Endpoint } from "../endpoint.js";
import { BUDGET } from "./budget.js";
import { DECIDE } from "./decide.js";
import { DETAIL } from "./detail.js";
import { EVENTS } from "./events.js";
import { FIGURES } from "./figures.js";
import { HANDOFFS } from "./handoffs.js";
import { INBOX } from "./inbox.js";
import { RESULTS } from "./results.js";
import { RUNS } from "./runs.js";
import { SERVICE } from "./service.js";
import { WORKERS } from "./workers.js";

/** Every operation of the API. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...SERVICE,
  ...RUNS,
  ...WORKERS,
  ...INBOX,
  ...DETAIL,
  ...DECIDE,
  ...BUDGET,
  ...RESULTS,
  ...HANDOFFS,
  ...FIGURES,
  ...EVENTS,
];
