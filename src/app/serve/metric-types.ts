/* Types of measurements, for fronts. */
export type { Measurement } from "../../mind/telemetry/instruments.js";
export { Totals } from "../../mind/telemetry/totals.js";
