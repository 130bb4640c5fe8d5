import { useId } from "react";

/* Plots drawn as SVG. Series differ by pattern as well as by colour, and the numbers stand beside them in a table. */

export interface PlotSeries {
  readonly name: string;
  /** One value for each place on the axis. */
  readonly values: readonly number[];
}

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 72;
const BOTTOM = 22;
const TOP = 8;
const INNER = { width: WIDTH - LEFT - 4, height: HEIGHT - BOTTOM - TOP };

interface PlotProps {
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly PlotSeries[];
  readonly format: (value: number) => string;
}

/** Stacked bars, one for each label. */
export function BarPlot({ title, labels, series, format }: PlotProps) {
  const id = useId();
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const most = niceTop(Math.max(...sums, 0));
  const step = INNER.width / Math.max(1, labels.length);
  const heightOf = (value: number) => (value / most) * INNER.height;
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}; the numbers are in the table beside it`}
      >
        <Patterns id={id} count={series.length} />
        <Axis most={most} format={format} labels={labels} step={step} />
        {labels.map((label, index) => {
          let below = 0;
          return (
            <g key={label}>
              {series.map(({ name, values }, number) => {
                const value = values[index] ?? 0;
                if (value <= 0) return null;
                below += heightOf(value);
                return (
                  <rect
                    key={name}
                    className={`series-${number % KINDS}`}
                    fill={`url(#${id}-${number % KINDS})`}
                    x={LEFT + index * step + step * 0.1}
                    y={TOP + INNER.height - below}
                    width={Math.max(1, step * 0.8)}
                    height={heightOf(value)}
                  >
                    <title>{`${label}, ${name}: ${format(value)}`}</title>
                  </rect>
                );
              })}
            </g>
          );
        })}
      </svg>
      <Legend id={id} series={series} />
    </figure>
  );
}

/** Points over a line that stands for "as estimated". */
export function RatioPlot({
  title,
  points,
}: {
  readonly title: string;
  readonly points: readonly { readonly label: string; readonly ratio: number }[];
}) {
  const most = niceTop(Math.max(2, ...points.map(({ ratio }) => ratio)));
  const step = INNER.width / Math.max(1, points.length);
  const y = (value: number) => TOP + INNER.height - (value / most) * INNER.height;
  const format = (value: number) => `${Number(value.toFixed(2))} ×`;
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}; the numbers are in the table beside it`}
      >
        <Axis most={most} format={format} labels={points.map(({ label }) => label)} step={step} />
        <line className="as-estimated" x1={LEFT} x2={WIDTH} y1={y(1)} y2={y(1)} />
        <text className="axis" x={WIDTH - 4} y={y(1) - 3} textAnchor="end">
          as estimated
        </text>
        {points.map(({ label, ratio }, index) => {
          const x = LEFT + (index + 0.5) * step;
          return (
            <g key={`${label} ${index}`}>
              <line className="stem" x1={x} x2={x} y1={y(1)} y2={y(ratio)} />
              <circle className="point" cx={x} cy={y(ratio)} r={4}>
                <title>{`${label}: ${format(ratio)}`}</title>
              </circle>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

const KINDS = 6;

/** Six ways to fill a bar that can be distinguished without colours. */
function Patterns({ id, count }: { readonly id: string; readonly count: number }) {
  const lines = [null, "M0 4 L8 4", "M4 0 L4 8", "M0 8 L8 0", "M0 0 L8 8 M0 8 L8 0", "M2 2 h3 v3 h-3 z"];
  return (
    <defs>
      {lines.slice(0, Math.min(KINDS, count)).map((line, number) => (
        <pattern
          key={number}
          id={`${id}-${number}`}
          className={`series-${number}`}
          width={8}
          height={8}
          patternUnits="userSpaceOnUse"
        >
          <rect className="ground" width={8} height={8} />
          {line !== null && <path className="mark" d={line} />}
        </pattern>
      ))}
    </defs>
  );
}

function Legend({ id, series }: { readonly id: string; readonly series: readonly PlotSeries[] }) {
  return (
    <ul className="legend">
      {series.map(({ name }, number) => (
        <li key={name}>
          <svg width={14} height={14} aria-hidden="true">
            <rect
              className={`series-${number % KINDS}`}
              fill={`url(#${id}-${number % KINDS})`}
              width={14}
              height={14}
            />
          </svg>{" "}
          {name}
        </li>
      ))}
    </ul>
  );
}

interface AxisProps {
  readonly most: number;
  readonly format: (value: number) => string;
  readonly labels: readonly string[];
  readonly step: number;
}

const MOST_LABELS = 7;

function Axis({ most, format, labels, step }: AxisProps) {
  const every = Math.max(1, Math.ceil(labels.length / MOST_LABELS));
  return (
    <g className="axis">
      {[0, 0.5, 1].map((part) => {
        const y = TOP + INNER.height * (1 - part);
        return (
          <g key={part}>
            <line x1={LEFT} x2={WIDTH} y1={y} y2={y} />
            <text x={LEFT - 4} y={y + 4} textAnchor="end">
              {format(most * part)}
            </text>
          </g>
        );
      })}
      {labels.map((label, index) =>
        index % every === 0 ? (
          <text key={`${label} ${index}`} x={LEFT + (index + 0.5) * step} y={HEIGHT - 6} textAnchor="middle">
            {label}
          </text>
        ) : null,
      )}
    </g>
  );
}

/** The next of 1, 2, 5, 10, … that is not below a value. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= value) ?? 10 * power;
}
