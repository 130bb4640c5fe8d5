import { useMemo, useState } from "react";
import { formatCost, formatCount } from "../format.ts";
import { Scroll } from "../parts/scroll.tsx";
import { Empty } from "../parts/states.tsx";
import type { Series } from "../types.ts";
import { BarPlot, type PlotSeries } from "./plot.tsx";

type Work = Series["work"][number];
type Key = "cost_usd" | "tokens";

/** Cost and tokens by day, split by agent or by project, with the numbers beside the plots. */
export function OverTime({
  series: { days, work },
  names,
}: {
  readonly series: Series;
  readonly names: ReadonlyMap<string, string>;
}) {
  const [byProject, setByProject] = useState(false);
  const nameOf = useMemo(
    () => (row: Work) => (byProject ? (names.get(row.project) ?? row.project) : row.agent),
    [byProject, names],
  );
  if (work.length === 0) return <Empty>No agent has worked in these days.</Empty>;
  return (
    <>
      <fieldset className="choices">
        <legend>Split by</legend>
        <label>
          <input type="radio" name="split" checked={!byProject} onChange={() => setByProject(false)} /> agent
        </label>
        <label>
          <input type="radio" name="split" checked={byProject} onChange={() => setByProject(true)} /> project
        </label>
      </fieldset>
      <Plotted title="Cost by day" days={days} work={work} nameOf={nameOf} of="cost_usd" format={formatCost} />
      <Plotted title="Tokens by day" days={days} work={work} nameOf={nameOf} of="tokens" format={formatCount} />
    </>
  );
}

interface PlottedProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly work: readonly Work[];
  readonly nameOf: (row: Work) => string;
  readonly of: Key;
  readonly format: (value: number) => string;
}

const MOST_SERIES = 6;

function Plotted({ title, days, work, nameOf, of, format }: PlottedProps) {
  const series = useMemo(() => seriesOf(days, work, nameOf, of), [days, work, nameOf, of]);
  const used = days.flatMap((day, index) =>
    series.some(({ values }) => (values[index] ?? 0) > 0) ? [{ day, index }] : [],
  );
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return (
    <div className="plotted">
      <BarPlot title={title} labels={days.map(shortDay)} series={series} format={format} />
      <Scroll label={`${title}: numbers`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {used.toReversed().map(({ day, index }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{format(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Together</th>
              {series.map(({ name, values }) => (
                <td key={name}>
                  <strong>{format(total(values))}</strong>
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </Scroll>
    </div>
  );
}

const shortDay = (day: string) => day.slice(5);

/** The largest series by name; what is left is one series more. */
function seriesOf(
  days: readonly string[],
  work: readonly Work[],
  nameOf: (row: Work) => string,
  of: Key,
): PlotSeries[] {
  const place = new Map(days.map((day, index) => [day, index]));
  const found = new Map<string, number[]>();
  for (const row of work) {
    const values = found.get(nameOf(row)) ?? days.map(() => 0);
    const index = place.get(row.day);
    if (index !== undefined) values[index] = (values[index] ?? 0) + row[of];
    found.set(nameOf(row), values);
  }
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const all = [...found].map(([name, values]) => ({ name, values })).sort((a, b) => total(b.values) - total(a.values));
  if (all.length <= MOST_SERIES) return all;
  const rest = all.slice(MOST_SERIES - 1);
  const values = days.map((_, index) => rest.reduce((sum, one) => sum + (one.values[index] ?? 0), 0));
  return [...all.slice(0, MOST_SERIES - 1), { name: `${rest.length} others`, values }];
}
