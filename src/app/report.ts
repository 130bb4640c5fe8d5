import type { CoordinatorResponse } from "../model/request.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { ExitCode } from "./exit-codes.js";
import type { HostReport } from "./host-reports.js";
import type { RunReport } from "./run-reports.js";
import type { ServeReport } from "./serve-reports.js";
import type { WorkerStopped, WorkersListed } from "./workers/worker-reports.js";
import type { PlanningReport } from "./plan-reports.js";
import type { RegistryReport } from "./registry-reports.js";
import type { AdrReport } from "./adr-reports.js";
import type { SetupReport } from "./setup-reports.js";

/*
 * The report of a command, before it is rendered. The views turn a report into text for people or into
 * one JSON document; a command never prints.
 */
export type Report =
  | PlanningReport
  | RegistryReport
  | AdrReport
  | SetupReport
  | RunReport
  | HostReport
  | ServeReport
  | WorkersListed
  | WorkerStopped
  | Failure;

export interface Finished {
  readonly exitCode: ExitCode;
  readonly report: Report;
  /** For a request that became no run: where it is on record, and the response to the person who asked. */
  readonly answer?: { readonly run_id: string; readonly response: CoordinatorResponse };
}

export interface Failure {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
  readonly problems: readonly Diagnostic[];
}

export function finish(exitCode: ExitCode, report: Report): Finished {
  return { exitCode, report };
}

export function fail(
  exitCode: ExitCode,
  code: string,
  message: string,
  more: { fix?: string | undefined; problems?: readonly Diagnostic[] } = {},
): Finished {
  return { exitCode, report: { type: "error", code, message, fix: more.fix, problems: more.problems ?? [] } };
}
