import type { Measurement } from "../app/serve/metric-types.js";

/* Numbers as Prometheus reads them, in its text format. */

export interface Sample {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: Readonly<Record<string, string | number | boolean>>;
  readonly value: number;
  /** For a histogram: its bounds, how many were in each part, and how many there were. */
  readonly histogram?: {
    readonly bounds: readonly number[];
    readonly buckets: readonly number[];
    readonly count: number;
  };
}

const UNITS: Readonly<Record<string, string>> = { s: "_seconds", "{USD}": "_usd" };

/** `coordinator.run.duration` in seconds is `coordinator_run_duration_seconds`. Contract: pure. */
export function prometheusName({ name, unit, kind }: Measurement["instrument"]): string {
  const base = `${name.replaceAll(/[^a-zA-Z0-9_]/g, "_")}${UNITS[unit] ?? ""}`;
  return kind === "counter" ? `${base}_total` : base;
}

/** Contract: pure; every name once with its help and type, its samples together. */
export function renderPrometheus(samples: readonly Sample[]): string {
  const byName = new Map<string, Sample[]>();
  for (const sample of samples) byName.set(sample.name, [...(byName.get(sample.name) ?? []), sample]);
  const lines: string[] = [];
  for (const [name, all] of byName) {
    const [first] = all;
    lines.push(`# HELP ${name} ${escapeHelp(first?.help ?? "")}`, `# TYPE ${name} ${first?.kind ?? "untyped"}`);
    for (const sample of all) lines.push(...linesOf(sample));
  }
  return `${lines.join("\n")}\n`;
}

function linesOf({ name, labels, value, histogram }: Sample): string[] {
  if (histogram === undefined) return [`${name}${labelText(labels)} ${numberText(value)}`];
  let upTo = 0;
  const bounds = [...histogram.bounds.map(numberText), "+Inf"];
  return [
    ...bounds.map((le, i) => {
      upTo += histogram.buckets[i] ?? 0;
      return `${name}_bucket${labelText({ ...labels, le })} ${upTo}`;
    }),
    `${name}_sum${labelText(labels)} ${numberText(value)}`,
    `${name}_count${labelText(labels)} ${histogram.count}`,
  ];
}

function labelText(labels: Sample["labels"]): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
}
