import { useState } from "react";
import { formatCost, formatCount, formatTime } from "../format.ts";
import { Link } from "../parts/link.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Empty } from "../parts/states.tsx";
import { runAddress } from "../router.ts";
import type { Figures } from "../types.ts";
import { RatioPlot } from "./plot.tsx";
import { Heads } from "../parts/heads.tsx";

const AMOUNTS = {
  cost_usd: ["cost", formatCost],
  tokens: ["tokens", formatCount],
  minutes: ["time", (value: number) => `${value.toFixed(1)} min`],
} as const;

const MOST_RUNS = 30;

/** Shows estimates of plans beside the usage of their runs, run by run. */
export function Estimates({ project, figures: { runs } }: { readonly project: string; readonly figures: Figures }) {
  const [amount, setAmount] = useState<keyof typeof AMOUNTS>("tokens");
  const [name, format] = AMOUNTS[amount];
  const compared = runs
    .flatMap(({ run_id, started_at, request, compared: both }) =>
      both === null || both[amount].estimated <= 0 ? [] : [{ run_id, started_at, request, ...both[amount] }],
    )
    .slice(0, MOST_RUNS);
  return (
    <>
      <h3>Estimates against what was used</h3>
      <fieldset className="choices">
        <legend>Compare</legend>
        {Object.entries(AMOUNTS).map(([key, [label]]) => (
          <label key={key}>
            <input
              type="radio"
              name={`amount-${project}`}
              checked={amount === key}
              onChange={() => setAmount(key as keyof typeof AMOUNTS)}
            />{" "}
            {label}
          </label>
        ))}
      </fieldset>
      {compared.length === 0 ? (
        <Empty>No run with an estimate of its {name} has finished a task yet.</Empty>
      ) : (
        <div className="plotted">
          <RatioPlot
            title={`Used ÷ estimated ${name}, by run, oldest first`}
            points={compared
              .toReversed()
              .map(({ started_at, used, estimated }) => ({ label: started_at.slice(5, 10), ratio: used / estimated }))}
          />
          <Scroll label={`Estimates of ${name}: numbers`}>
            <table>
              <Heads of={["Run", "Estimated", "Used", "Used ÷ estimated"]} />
              <tbody>
                {compared.map(({ run_id, request, started_at, estimated, used }) => (
                  <tr key={run_id}>
                    <td>
                      <Link to={runAddress(project, run_id)}>{request === "" ? run_id : request}</Link>{" "}
                      <span className="quiet">{formatTime(started_at)}</span>
                    </td>
                    <td>{format(estimated)}</td>
                    <td>{format(used)}</td>
                    <td>{(used / estimated).toFixed(2)} ×</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </div>
      )}
    </>
  );
}
