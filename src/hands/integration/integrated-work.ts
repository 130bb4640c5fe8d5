import { VerdictReport } from "../../model/settings/check.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { integrationRecord, verdictRecord } from "../../mind/run/record-names.js";
import type { AttemptResult } from "../attempts/attempt-order.js";
import type { IntegrationRecord } from "./integration-record.js";
import type { RunRecords } from "../attempts/run-records.js";

/** Reads what a task put onto the run's branch from its records; null when it put nothing there. */
export async function integratedWork(
  records: RunRecords,
  resultOf: (taskId: string, attempt: number) => Promise<AttemptResult | null>,
  taskId: string,
): Promise<{ changes: AttemptResult["changes"]; base: string; verdict: VerdictReport } | null> {
  const record = (await records.read(integrationRecord(taskId))) as IntegrationRecord | null;
  if (record === null || record.outcome.status !== "integrated") return null;
  const result = await resultOf(taskId, record.attempt);
  const verdict = VerdictReport.safeParse(await records.read(verdictRecord(attemptKey(taskId, record.attempt))));
  if (result === null || !verdict.success) return null;
  return { changes: result.changes, base: result.base, verdict: verdict.data };
}
