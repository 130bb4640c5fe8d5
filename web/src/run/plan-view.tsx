import { useState } from "react";
import { runPath } from "../api.ts";
import { formatCost, formatCount, plural } from "../format.ts";
import { Shown } from "../parts/states.tsx";
import type { PlansCompared, PlanTask, RunPlan } from "../types.ts";
import { useResource } from "../use-resource.ts";

/** The plan as one reads it before approving: tasks by level, what each may touch, cost with its basis, reviews. */
export function PlanView({ project, run }: { readonly project: string; readonly run: string }) {
  const plan = useResource<RunPlan>(runPath(project, run, "/plan"));
  return (
    <Shown of={plan}>
      {({ plan_id, plan_checksum, approved, tasks, gates, text, others }) => {
        const levels = [...new Set(tasks.map(({ level }) => level))].sort((a, b) => a - b);
        const sum = (key: "cost_usd" | "tokens") => tasks.reduce((total, task) => total + task.estimate[key], 0);
        return (
          <>
            <p>
              {approved ? "Approved. " : "Not approved yet. "}
              {plural(tasks.length, "task")} in {plural(levels.length, "level")}, about {formatCost(sum("cost_usd"))}{" "}
              and {formatCount(sum("tokens"))} tokens, by the estimates below. Plan <code>{plan_id}</code>, checksum{" "}
              <code className="break">{plan_checksum}</code>
            </p>
            {levels.map((level) => (
              <section key={level}>
                <h3>Level {level + 1}</h3>
                {tasks
                  .filter((task) => task.level === level)
                  .map((task) => (
                    <Planned key={task.task_id} task={task} />
                  ))}
              </section>
            ))}
            {gates.length > 0 && (
              <section>
                <h3>Reviews by people</h3>
                <ul>
                  {gates.map(({ gate_id, category, reviewers }) => (
                    <li key={gate_id}>
                      {category}: {reviewers.length === 0 ? "anybody" : reviewers.join(", ")}
                    </li>
                  ))}
                </ul>
              </section>
            )}
            {text !== null && (
              <details>
                <summary>The whole plan as text: decisions with their rules, risks, rollback</summary>
                <pre>{text}</pre>
              </details>
            )}
            {others.length > 0 && <Compare project={project} run={run} others={others} />}
          </>
        );
      }}
    </Shown>
  );
}

function Planned({ task }: { readonly task: PlanTask }) {
  const { task_id, title, description, agent, model, dependencies, estimate, files = [] } = task;
  return (
    <article className="card">
      <h4>{title}</h4>
      {description !== undefined && description !== title && <p className="lines">{description}</p>}
      <dl className="facts">
        <dt>Agent</dt>
        <dd>
          {agent} {model}
        </dd>
        <dt>May touch</dt>
        <dd>{files.length === 0 ? "as the plan's scope says" : <code>{files.join(" ")}</code>}</dd>
        <dt>Builds on</dt>
        <dd>{dependencies.length === 0 ? "nothing" : dependencies.join(", ")}</dd>
        <dt>Estimate</dt>
        <dd>
          {formatCost(estimate.cost_usd)}, {formatCount(estimate.tokens)} tokens, {estimate.minutes.toFixed(1)} min
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{task_id}</code>
        </dd>
      </dl>
    </article>
  );
}

function Compare({
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
  return (
    <section>
      <h3>Earlier plans for the same words</h3>
      <label>
        Compare with{" "}
        <select value={other} onChange={(event) => setOther(event.target.value)}>
          <option value="">…</option>
          {others.map(({ run_id, status }) => (
            <option key={run_id} value={run_id}>
              {run_id} ({status})
            </option>
          ))}
        </select>
      </label>
      {path !== null && (
        <Shown of={compared}>
          {({ added, removed, changed }) => (
            <ul>
              {added.length + removed.length + changed.length === 0 && <li>The tasks are the same.</li>}
              {added.map((id) => (
                <li key={id}>added: {id}</li>
              ))}
              {removed.map((id) => (
                <li key={id}>removed: {id}</li>
              ))}
              {changed.map(({ task_id, fields }) => (
                <li key={task_id}>
                  {task_id}: {fields.map(({ name }) => name).join(", ")} changed
                </li>
              ))}
            </ul>
          )}
        </Shown>
      )}
    </section>
  );
}
