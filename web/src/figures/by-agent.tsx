import { formatCost, formatCount } from "../format.ts";
import { Scroll } from "../parts/scroll.tsx";
import type { Series } from "../types.ts";
import { Heads } from "../parts/heads.tsx";

/** How often the agents' attempts failed and were repeated, and what they used. */
export function ByAgent({ series: { work } }: { readonly series: Series }) {
  const agents = [...new Set(work.map(({ agent }) => agent))].sort();
  if (agents.length === 0) return null;
  const rows = agents.map((agent) => {
    const own = work.filter((row) => row.agent === agent);
    const sum = (
      key: "attempts" | "failed" | "retries" | "passed" | "not_passed" | "tokens" | "cost_usd" | "minutes",
    ) => own.reduce((total, row) => total + row[key], 0);
    const attempts = sum("attempts");
    return {
      agent,
      attempts,
      failed: sum("failed"),
      retries: sum("retries"),
      judged: sum("passed") + sum("not_passed"),
      notPassed: sum("not_passed"),
      tokens: sum("tokens"),
      cost: sum("cost_usd"),
      minutes: sum("minutes"),
    };
  });
  return (
    <Scroll label="Agents">
      <table>
        <caption>Agents: how often they failed and tried again</caption>
        <Heads
          of={[
            "Agent",
            "Attempts",
            "Attempts that failed",
            "Attempts that were repeats",
            "Results that did not pass",
            "Tokens",
            "Cost",
            "Time",
          ]}
        />
        <tbody>
          {rows.map(({ agent, attempts, failed, retries, judged, notPassed, tokens, cost, minutes }) => (
            <tr key={agent}>
              <td>{agent}</td>
              <td>{attempts}</td>
              <td>
                <Rate of={failed} among={attempts} />
              </td>
              <td>
                <Rate of={retries} among={attempts} />
              </td>
              <td>
                <Rate of={notPassed} among={judged} />
              </td>
              <td>{formatCount(tokens)}</td>
              <td>{formatCost(cost)}</td>
              <td>{minutes.toFixed(1)} min</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Rate({ of, among }: { readonly of: number; readonly among: number }) {
  if (among === 0) return <>–</>;
  const share = of / among;
  return (
    <>
      <span className="rate" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>{" "}
      {of} ({Math.round(share * 100)} %)
    </>
  );
}
