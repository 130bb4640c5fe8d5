import type { Integrated } from "./integrate.js";

/** The outcome of an integration, kept for the review and for people. */
export interface IntegrationRecord {
  readonly task_id: string;
  readonly attempt: number;
  readonly onto: string;
  readonly outcome: Integrated;
}
