import { useState } from "react";
import { runPath } from "../api.ts";
import { shortenHashes, words } from "../format.ts";
import { runAddress } from "../router.ts";
import type { Entry } from "../types.ts";
import { useResource } from "../use-resource.ts";
import { Diff } from "./diff.tsx";
import { Link } from "./link.tsx";
import { Shown } from "./states.tsx";

/** What a person needs to know before they decide an entry. */
export function EntryEvidence({ entry }: { readonly entry: Entry }) {
  const { project, run_id, kind, escalation, request, said, refused, task_id } = entry;
  const happened = escalation?.package.violation || (escalation?.summary ?? "");
  return (
    <>
      {kind === "plan_approval" && (
        <p>
          <Link to={runAddress(project, run_id, "plan")}>Read the plan</Link>: what is done, where, how it is proven and
          what it costs.
        </p>
      )}
      {escalation !== null && (
        <dl className="facts">
          <dt>What happened</dt>
          <dd>
            {words(escalation.type)}, severity {escalation.severity}
            {!entry.about.includes(happened) && <>: {shortenHashes(happened)}</>}
          </dd>
          {escalation.package.output !== "" && (
            <>
              <dt>Result</dt>
              <dd>
                <code>{escalation.package.output}</code>
              </dd>
            </>
          )}
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
      {escalation !== null && task_id !== null && <Changes project={project} run={run_id} task={task_id} />}
    </>
  );
}

const list = (items: readonly string[]) => (items.length === 0 ? "nothing" : items.join(", "));

function Changes({ project, run, task }: { readonly project: string; readonly run: string; readonly task: string }) {
  const [isOpen, setOpen] = useState(false);
  const path = runPath(project, run, `/diff?task=${encodeURIComponent(task)}`);
  const diff = useResource<{ patch: string; truncated: boolean }>(isOpen ? path : null);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What the task changed</summary>
      <Shown of={diff}>{({ patch, truncated }) => <Diff patch={patch} truncated={truncated} />}</Shown>
    </details>
  );
}
