import { useState } from "react";
import { runPath } from "../api.ts";
import { formatCount, plural, withoutHashes, words } from "../format.ts";
import { type Action, actionsOf, sumEstimates, tellCost } from "../plan-facts.ts";
import { runAddress } from "../router.ts";
import type {
  Diff as DiffShown,
  Entry,
  ExecutionGraph,
  ReviewPack,
  RunPlan,
  TaskDetail,
  VerdictReport,
} from "../types.ts";
import { useResource } from "../use-resource.ts";
import { Diff } from "./diff.tsx";
import { Link } from "./link.tsx";
import { Empty, Shown } from "./states.tsx";
import { Verdict } from "./verdict.tsx";

/** Shows what a person needs to know before they decide an entry. */
export function EntryEvidence({ entry }: { readonly entry: Entry }) {
  const { project, run_id, kind, escalation, request, said, refused, task_id, reviewers, guards } = entry;
  const happened = escalation?.package.violation || (escalation?.summary ?? "");
  return (
    <>
      {kind === "plan_approval" && <PlanInShort project={project} run={run_id} />}
      {kind === "review" && guards.length > 0 && <p>These tasks wait for it: {guards.join(", ")}.</p>}
      {kind === "review" && <ReviewReasons project={project} run={run_id} gate={entry.id} />}
      {reviewers.length > 0 && <p className="quiet">Decided as {reviewers.join(" or ")}.</p>}
      {escalation !== null && (
        <dl className="facts">
          <dt>What happened</dt>
          <dd>
            {words(escalation.type)}, severity {escalation.severity}
            {!entry.about.includes(happened) && <>: {withoutHashes(happened)}</>}
          </dd>
        </dl>
      )}
      {request !== null && (
        <dl className="facts">
          <dt>Asks to write</dt>
          <dd>{list(request.write)}</dd>
          <dt>Asks to run</dt>
          <dd>{list(request.commands)}</dd>
          <dt>Asks to reach</dt>
          <dd>{list(request.network)}</dd>
        </dl>
      )}
      {refused.length > 0 && (
        <>
          <p>What the agent was refused:</p>
          <ul>
            {refused.map(({ what, reason }) => (
              <li key={what}>
                <code>{what}</code>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      {said !== null && said !== "" && (
        <blockquote>
          <p className="quiet">The agent said last:</p>
          {said}
        </blockquote>
      )}
      {escalation !== null && task_id !== null && (
        <>
          <Checks project={project} run={run_id} task={task_id} attempt={escalation.attempt} />
          <Changes project={project} run={run_id} task={task_id} />
        </>
      )}
    </>
  );
}

const list = (items: readonly string[]) => (items.length === 0 ? "nothing" : items.join(", "));

/** The plan in a few lines; the whole of it is one click away. */
function PlanInShort({ project, run }: { readonly project: string; readonly run: string }) {
  const plan = useResource<RunPlan>(runPath(project, run, "/plan"));
  return (
    <>
      <Shown of={plan}>
        {({ tasks, review: read, graph }) => {
          const { cost_usd, tokens, minutes } = sumEstimates(tasks);
          const review = read as ReviewPack | null;
          const actions = actionsOf(graph as ExecutionGraph | null);
          return (
            <>
              <p>
                About {tellCost(cost_usd, review)}, {formatCount(tokens)} tokens and {Math.ceil(minutes)} min of agents’
                time{review !== null && <>; risk {review.risk.overall_risk}</>}.
              </p>
              <ul className="short">
                {tasks.slice(0, MOST_TASKS).map(({ task_id, title, agent, files = [] }) => (
                  <li key={task_id}>
                    {title} <span className="quiet">by {agent}</span>
                    {files.length > 0 && <code> {files.join(" ")}</code>}
                    <RuleBehind decision={actions.get(task_id)?.metadata.decision} />
                  </li>
                ))}
              </ul>
              {tasks.length > MOST_TASKS && <p>… and {plural(tasks.length - MOST_TASKS, "more task")}</p>}
            </>
          );
        }}
      </Shown>
      <p>
        <Link to={runAddress(project, run, "plan")}>Read the plan</Link>: decisions with their rules, what each task may
        touch, risks and rollback.
      </p>
    </>
  );
}

const MOST_TASKS = 6;

function RuleBehind({ decision }: { readonly decision: Action["metadata"]["decision"] | undefined }) {
  if (decision === undefined) return null;
  return (
    <span className="quiet">
      {" "}
      · {words(decision.decision)} by rule <code>{decision.rule_id}</code>
    </span>
  );
}

/** Why the plan asks for a review: the rules behind its gate. */
function ReviewReasons({
  project,
  run,
  gate,
}: {
  readonly project: string;
  readonly run: string;
  readonly gate: string;
}) {
  const plan = useResource<RunPlan>(runPath(project, run, "/plan"));
  const review = (plan.value?.review ?? null) as ReviewPack | null;
  const because = review?.required_reviews.find((one) => one.gate === gate)?.because ?? [];
  return (
    <>
      {because.length > 0 && (
        <ul>
          {because.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <p>
        <Link to={runAddress(project, run, "plan")}>Read the plan</Link>
      </p>
    </>
  );
}

interface OfTask {
  readonly project: string;
  readonly run: string;
  readonly task: string;
}

/** The checks of the result it is about, beside those of the base. */
function Checks({ project, run, task, attempt }: OfTask & { readonly attempt: number | null }) {
  const detail = useResource<TaskDetail>(runPath(project, run, `/tasks/${encodeURIComponent(task)}`));
  const found = detail.value?.attempts.findLast((one) => attempt === null || one.attempt === attempt);
  const report = (found?.records.verdict ?? null) as VerdictReport | null;
  if (detail.problem === null && report === null) return null;
  return <Shown of={detail}>{() => (report === null ? null : <Verdict of={report} />)}</Shown>;
}

function Changes({ project, run, task }: OfTask) {
  const [isOpen, setOpen] = useState(false);
  const path = runPath(project, run, `/diff?task=${encodeURIComponent(task)}`);
  const diff = useResource<DiffShown>(isOpen ? path : null);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What the task changed</summary>
      {diff.problem?.code === "NOT_FOUND" ? (
        <Empty>No changes are kept of it.</Empty>
      ) : (
        <Shown of={diff}>{({ patch, truncated }) => <Diff patch={patch} truncated={truncated} />}</Shown>
      )}
    </details>
  );
}
