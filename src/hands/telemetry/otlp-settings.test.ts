import { describe, expect, it } from "vitest";
import { isSampled, spanIdOf, traceIdOf } from "./otlp-json.js";
import { isTelemetryOn, readOtlpSettings } from "./otlp-settings.js";

const AT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" };

describe("the variables of OpenTelemetry", () => {
  it("switch it on by an address and off by a word", () => {
    expect(isTelemetryOn({})).toBe(false);
    expect(isTelemetryOn({ OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toBe(false);
    expect(isTelemetryOn(AT)).toBe(true);
    expect(isTelemetryOn({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://x" })).toBe(true);
    expect(isTelemetryOn({ ...AT, OTEL_SDK_DISABLED: "TRUE" })).toBe(false);
  });

  it("name one collector for all, or one for each, with headers, time limits and a resource", () => {
    const { traces, metrics, resource, content, ratio, warnings } = readOtlpSettings({
      ...AT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/otlp",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b , x-team=tools",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Bearer%20t",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "700",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_RESOURCE_ATTRIBUTES: "team=tools,service.name=other",
      OTEL_SERVICE_NAME: "desk",
    });
    expect(traces).toEqual({
      url: "https://traces.example/otlp",
      headers: { authorization: "Bearer t" },
      timeoutMs: 500,
      gzip: true,
    });
    expect(metrics).toEqual({
      url: "http://127.0.0.1:4318/v1/metrics",
      headers: { "x-key": "a b", "x-team": "tools" },
      timeoutMs: 700,
      gzip: true,
    });
    expect(resource).toEqual({ "service.name": "desk", team: "tools" });
    expect([content, ratio, warnings]).toEqual([false, 1, []]);
  });

  it("that cannot be kept are told without their secrets, and the rest holds", () => {
    const { traces, metrics, warnings, ratio, spansEveryMs } = readOtlpSettings({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4317",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_HEADERS: "sesame-open",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "7",
      OTEL_BSP_SCHEDULE_DELAY: "soon",
    });
    expect([traces, metrics, ratio, spansEveryMs]).toEqual([null, null, 1, 5000]);
    const said = warnings.join("\n");
    for (const part of ["collector:4317", "gRPC", "SAMPLER_ARG", "SCHEDULE_DELAY"]) expect(said).toContain(part);
    expect(said).not.toContain("sesame");
    expect(readOtlpSettings({ ...AT, OTEL_TRACES_EXPORTER: "none" }).traces).toBeNull();
    expect(readOtlpSettings({ ...AT, OTEL_EXPORTER_OTLP_HEADERS: "x=a%0Ab" }).traces?.headers).toEqual({});
  });
});

describe("ids of traces and spans", () => {
  it("belong to a run and its parts for ever, and sampling goes by them", () => {
    expect(traceIdOf("run_a")).toMatch(/^[0-9a-f]{32}$/);
    expect(spanIdOf("run_a", "task/T1")).toMatch(/^[0-9a-f]{16}$/);
    expect(traceIdOf("run_a")).toBe(traceIdOf("run_a"));
    expect(spanIdOf("run_a", "run")).not.toBe(spanIdOf("run_b", "run"));
    const runs = Array.from({ length: 2000 }, (_, i) => `run_${i}`);
    const sampled = runs.filter((run) => isSampled(run, 0.25)).length;
    expect(sampled).toBeGreaterThan(400);
    expect(sampled).toBeLessThan(600);
    expect(runs.some((run) => isSampled(run, 0))).toBe(false);
    expect(runs.every((run) => isSampled(run, 1))).toBe(true);
  });
});
