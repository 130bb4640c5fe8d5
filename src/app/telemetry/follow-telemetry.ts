import { isTelemetryOn, readOtlpSettings } from "../../hands/telemetry/otlp-settings.js";
import type { FollowedRun, RunExporter } from "../../hands/telemetry/export-runs.js";

export interface RunTelemetry {
  /** Send what is left, for a moment only. Contract: never rejects. */
  readonly stop: () => Promise<void>;
}

interface Place {
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => string;
  readonly warn: (message: string) => void;
}

const NOTHING: RunTelemetry = { stop: async () => undefined };

/** One for this process: what it counts is one stream, however many runs it carries out. */
let exporter: RunExporter | null = null;

/**
 * Send traces and metrics of a run for as long as this process carries it out, where variables name a collector.
 *
 * Contract: never rejects; nothing is loaded where none is named.
 */
export async function followTelemetry(run: FollowedRun, { environment, now, warn }: Place): Promise<RunTelemetry> {
  if (!isTelemetryOn(environment)) return NOTHING;
  try {
    const { createRunExporter } = await import("../../hands/telemetry/export-runs.js");
    exporter ??= createRunExporter({ settings: readOtlpSettings(environment), now, warn });
    return exporter.follow(run);
  } catch (error) {
    warn(`Telemetry: ${error instanceof Error ? error.message : String(error)}. Runs continue without it.`);
    return NOTHING;
  }
}
