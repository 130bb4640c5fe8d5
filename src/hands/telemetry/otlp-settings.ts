/*
 * Where traces and metrics go, by the variables that OpenTelemetry names. They are the person's own: nothing of a project is
 * asked. Without an address nothing is sent.
 */

type Environment = Readonly<Record<string, string | undefined>>;

export interface SignalSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly gzip: boolean;
}

export interface OtlpSettings {
  readonly traces: SignalSettings | null;
  readonly metrics: SignalSettings | null;
  /** Which part of all runs is traced, from 0 to 1. */
  readonly ratio: number;
  readonly spansEveryMs: number;
  readonly metricsEveryMs: number;
  readonly temporality: "cumulative" | "delta";
  /** Requests, typed text and messages are sent, too. */
  readonly content: boolean;
  readonly resource: Readonly<Record<string, string>>;
  /** Ignored settings, and why. */
  readonly warnings: readonly string[];
}

/** Whether anything is sent at all. Contract: cheap, so that nothing else is loaded for people who have no collector. */
export function isTelemetryOn(environment: Environment): boolean {
  if (environment["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  return ["", "_TRACES", "_METRICS"].some(
    (signal) => (environment[`OTEL_EXPORTER_OTLP${signal}_ENDPOINT`] ?? "").trim() !== "",
  );
}

export function readOtlpSettings(environment: Environment): OtlpSettings {
  const warnings: string[] = [];
  const read = (name: string) => environment[name]?.trim() ?? "";
  const milliseconds = (name: string, usual: number) => {
    const value = read(name);
    if (value === "") return usual;
    if (/^\d{1,9}$/.test(value) && Number(value) > 0) return Number(value);
    warnings.push(`${name}=${value} is not a number of milliseconds; ${usual} is used`);
    return usual;
  };
  const signal = (name: "TRACES" | "METRICS", path: string): SignalSettings | null => {
    const exporter = read(`OTEL_${name}_EXPORTER`);
    if (exporter === "none") return null;
    if (exporter !== "" && exporter !== "otlp") {
      warnings.push(`OTEL_${name}_EXPORTER=${exporter} is not known: use otlp or none`);
      return null;
    }
    const own = (what: string) => read(`OTEL_EXPORTER_OTLP_${name}_${what}`) || read(`OTEL_EXPORTER_OTLP_${what}`);
    const exact = read(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`);
    const base = read("OTEL_EXPORTER_OTLP_ENDPOINT");
    const url = exact !== "" ? exact : base === "" ? "" : `${base.replace(/\/+$/, "")}/${path}`;
    if (url === "") return null;
    if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
      warnings.push(`${url} is not an address of a collector: use http://HOST:4318 or https://HOST`);
      return null;
    }
    const protocol = own("PROTOCOL");
    if (protocol === "grpc") {
      warnings.push(
        "OTLP over gRPC is not spoken: name the HTTP port of the collector, which is 4318, and leave it out",
      );
      return null;
    }
    return {
      url,
      headers: headersIn(own("HEADERS"), warnings),
      timeoutMs: milliseconds(`OTEL_EXPORTER_OTLP_${name}_TIMEOUT`, milliseconds("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000)),
      gzip: own("COMPRESSION") === "gzip",
    };
  };
  const traces = signal("TRACES", "v1/traces");
  const metrics = signal("METRICS", "v1/metrics");
  return {
    traces,
    metrics,
    ratio: ratioIn(read("OTEL_TRACES_SAMPLER"), read("OTEL_TRACES_SAMPLER_ARG"), warnings),
    spansEveryMs: milliseconds("OTEL_BSP_SCHEDULE_DELAY", 5000),
    metricsEveryMs: milliseconds("OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    temporality:
      read("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE").toLowerCase() === "delta" ? "delta" : "cumulative",
    content: read("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").toLowerCase() === "true",
    resource: {
      "service.name": "coordinator",
      ...pairsIn(read("OTEL_RESOURCE_ATTRIBUTES"), "OTEL_RESOURCE_ATTRIBUTES", warnings),
      ...(read("OTEL_SERVICE_NAME") === "" ? {} : { "service.name": read("OTEL_SERVICE_NAME") }),
    },
    warnings,
  };
}

function ratioIn(sampler: string, argument: string, warnings: string[]): number {
  switch (sampler.replace(/^parentbased_/, "")) {
    case "":
    case "always_on":
      return 1;
    case "always_off":
      return 0;
    case "traceidratio": {
      const ratio = argument === "" ? 1 : Number(argument);
      if (ratio >= 0 && ratio <= 1) return ratio;
      warnings.push(`OTEL_TRACES_SAMPLER_ARG=${argument} is not a number from 0 to 1; every run is traced`);
      return 1;
    }
    default:
      warnings.push(`OTEL_TRACES_SAMPLER=${sampler} is not known; every run is traced`);
      return 1;
  }
}

function headersIn(text: string, warnings: string[]): Readonly<Record<string, string>> {
  const found = pairsIn(text, "OTEL_EXPORTER_OTLP_HEADERS", warnings);
  return Object.fromEntries(
    Object.entries(found).filter(([name, value]) => {
      // INVARIANT: values are secrets and stand in no message.
      const ok = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
      if (!ok) warnings.push(`OTEL_EXPORTER_OTLP_HEADERS: ${name} cannot be sent as a header`);
      return ok;
    }),
  );
}

/** `a=1,b=2`, each part encoded as in an address. */
function pairsIn(text: string, name: string, warnings: string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    try {
      if (at <= 0) throw new URIError("no name");
      found[decodeURIComponent(part.slice(0, at).trim())] = decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      warnings.push(`${name}: one part is not NAME=VALUE`);
    }
  }
  return found;
}
