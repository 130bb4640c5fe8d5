/* What fronts know of measurements. */
export type { Measurement } from "../../mind/telemetry/instruments.js";
export { Totals } from "../../mind/telemetry/totals.js";
