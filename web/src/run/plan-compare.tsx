import { useState } from "react";
import { runPath } from "../api.ts";
import { formatTime, words } from "../format.ts";
import { Empty, Shown } from "../parts/states.tsx";
import { Scroll } from "../parts/scroll.tsx";
import type { PlansCompared, RunPlan } from "../types.ts";
import { useResource } from "../use-resource.ts";
import { Heads } from "../parts/heads.tsx";

/** Compares this plan with an earlier one of the same request. */
export function PlanCompare({
  project,
  run,
  others,
}: {
  readonly project: string;
  readonly run: string;
  readonly others: RunPlan["others"];
}) {
  const [other, setOther] = useState("");
  const path = other === "" ? null : runPath(project, run, `/plan/difference?with=${encodeURIComponent(other)}`);
  const compared = useResource<PlansCompared>(path);
  if (others.length === 0) return null;
  return (
    <section>
      <h3>Other plans for the same request</h3>
      <label>
        Compare with{" "}
        <select value={other} onChange={(event) => setOther(event.target.value)}>
          <option value="">…</option>
          {others.map(({ run_id, status, at }) => (
            <option key={run_id} value={run_id}>
              {at === null ? run_id : formatTime(at)} · {words(status)} · {run_id}
            </option>
          ))}
        </select>
      </label>
      {path !== null && <Shown of={compared}>{(value) => <Differences of={value} />}</Shown>}
    </section>
  );
}

function Differences({ of: { added, removed, changed, unchanged } }: { readonly of: PlansCompared }) {
  if (added.length + removed.length + changed.length === 0) return <Empty>The tasks are the same.</Empty>;
  return (
    <Scroll label="Differences">
      <table>
        <caption>{unchanged.length} tasks are the same</caption>
        <Heads of={["Task", "Difference", "Before", "Now"]} />
        <tbody>
          {added.map((id) => (
            <tr key={id}>
              <td>{id}</td>
              <td className="good">+ added</td>
              <td>–</td>
              <td>{id}</td>
            </tr>
          ))}
          {removed.map((id) => (
            <tr key={id}>
              <td>{id}</td>
              <td className="bad">− removed</td>
              <td>{id}</td>
              <td>–</td>
            </tr>
          ))}
          {changed.flatMap(({ task_id, fields }) =>
            fields.map(({ name, before, after }) => (
              <tr key={`${task_id} ${name}`}>
                <td>{task_id}</td>
                <td>~ {words(name)}</td>
                <td>
                  <code>{tell(before)}</code>
                </td>
                <td>
                  <code>{tell(after)}</code>
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </Scroll>
  );
}

const MOST_TOLD = 300;

function tell(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MOST_TOLD ? `${text.slice(0, MOST_TOLD)} …` : text;
}
