import { runPath } from "../api.ts";
import { formatCost, formatCount, plural, words } from "../format.ts";
import { Shown } from "../parts/states.tsx";
import type { ExecutionGraph, PlanTask, ReviewPack, RunPlan } from "../types.ts";
import { useResource } from "../use-resource.ts";
import { type Action, actionsOf, sumEstimates, tellCost } from "../plan-facts.ts";
import { PlanCompare } from "./plan-compare.tsx";
import { PlanReview } from "./plan-review.tsx";

/** The plan as one reads it before approving: tasks by level, the rule behind each, what each may touch, cost, risks. */
export function PlanView({ project, run }: { readonly project: string; readonly run: string }) {
  const plan = useResource<RunPlan>(runPath(project, run, "/plan"));
  return (
    <Shown of={plan}>
      {({ plan_id, plan_checksum, approved, tasks, gates, text, asked, others, review, graph }) => {
        const levels = [...new Set(tasks.map(({ level }) => level))].sort((a, b) => a - b);
        const { cost_usd, tokens } = sumEstimates(tasks);
        const actions = actionsOf(graph as ExecutionGraph | null);
        return (
          <>
            <p>
              {approved ? "✓ Approved. " : "○ Not approved yet. "}
              {plural(tasks.length, "task")} in {plural(levels.length, "level")}, about{" "}
              {tellCost(cost_usd, review as ReviewPack | null)} and {formatCount(tokens)} tokens. Plan{" "}
              <code>{plan_id}</code>, checksum <code className="break">{plan_checksum}</code>
            </p>
            {review !== null && <PlanReview review={review as ReviewPack} />}
            {asked.length > 0 && (
              <section>
                <h3>Questions before the plan</h3>
                <ul className="plain-list">
                  {asked.map(({ id, question, answer, by }) => (
                    <li key={id}>
                      {question} {answer === null ? <em>not answered yet</em> : <strong>{answer}</strong>}
                      {by !== null && <span className="quiet"> · {by}</span>}
                    </li>
                  ))}
                </ul>
              </section>
            )}
            {levels.map((level) => (
              <section key={level}>
                <h3>Level {level + 1}</h3>
                <div className="cards">
                  {tasks
                    .filter((task) => task.level === level)
                    .map((task) => (
                      <Planned key={task.task_id} task={task} action={actions.get(task.task_id)} />
                    ))}
                </div>
              </section>
            ))}
            {gates.length > 0 && (
              <section>
                <h3>Reviews by people</h3>
                <ul>
                  {gates.map(({ gate_id, category, reviewers }) => (
                    <li key={gate_id}>
                      {words(category)}: {reviewers.length === 0 ? "anybody" : reviewers.join(", ")}
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <PlanCompare project={project} run={run} others={others} />
            {text !== null && (
              <details>
                <summary>The whole plan as text</summary>
                <pre>{text}</pre>
              </details>
            )}
          </>
        );
      }}
    </Shown>
  );
}

const SOURCES = {
  registry: "the registry’s figure for this command",
  task: "what the task itself says",
  memory: "what earlier runs used",
} as const;

const tellAmounts = ({ cost_usd, tokens, minutes }: Pick<PlanTask["estimate"], "cost_usd" | "tokens" | "minutes">) =>
  `${formatCost(cost_usd)}, ${formatCount(tokens)} tokens, ${minutes.toFixed(1)} min`;

function Planned({ task, action }: { readonly task: PlanTask; readonly action: Action | undefined }) {
  const { task_id, title, description, agent, model, dependencies, estimate, files = [], planned, model_choice } = task;
  const decision = action?.metadata.decision;
  return (
    <article className="card">
      <h4>{title}</h4>
      {description !== undefined && description !== title && <p className="lines">{description}</p>}
      <dl className="facts">
        <dt>Agent</dt>
        <dd>
          {agent} {model}
          {model_choice !== undefined && <span className="quiet"> · {model_choice.reason}</span>}
        </dd>
        {decision !== undefined && (
          <>
            <dt>Decision</dt>
            <dd>
              {words(decision.decision)} by rule <code>{decision.rule_id}</code>, risk {action?.risk_level}
            </dd>
          </>
        )}
        <dt>May touch</dt>
        <dd>{files.length === 0 ? "as the plan’s scope says" : <code>{files.join(" ")}</code>}</dd>
        <dt>Builds on</dt>
        <dd>{dependencies.length === 0 ? "nothing" : dependencies.join(", ")}</dd>
        {planned !== undefined && (
          <>
            <dt>Estimate</dt>
            <dd>
              {tellAmounts(planned)} <span className="quiet">· by {SOURCES[planned.source]}</span>
            </dd>
          </>
        )}
        <dt>At most</dt>
        <dd>{tellAmounts(estimate)}</dd>
        <dt>Id</dt>
        <dd>
          <code>{task_id}</code>
        </dd>
      </dl>
    </article>
  );
}
