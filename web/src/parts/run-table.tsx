import { formatAge, formatCost } from "../format.ts";
import { runAddress } from "../router.ts";
import type { ProjectRun } from "../use-runs.ts";
import { Link } from "./link.tsx";
import { Scroll } from "./scroll.tsx";
import { isOver, Status } from "./status.tsx";
import { Heads } from "./heads.tsx";

export function RunTable({
  runs,
  names,
  label = "Runs",
}: {
  readonly runs: readonly ProjectRun[];
  readonly names: ReadonlyMap<string, string>;
  readonly label?: string;
}) {
  const now = Date.now();
  return (
    <Scroll label={label}>
      <table>
        <Heads of={["Request", "Project", "State", "Tasks", "Cost", "Changed"]} />
        <tbody>
          {runs.map(({ run_id, project, request, status, phase, tasks, spend, updated_at, needs_you }) => (
            <tr key={run_id}>
              <td>
                <Link to={runAddress(project, run_id)}>{request === "" ? run_id : request}</Link>
              </td>
              <td>{names.get(project) ?? project}</td>
              <td>
                <Status of={status} note={isOver(status) ? null : phase} />
                {needs_you > 0 && <strong className="needs"> needs you</strong>}
              </td>
              <td>
                {tasks.done} of {tasks.total}
                {tasks.failed > 0 && <span className="bad"> · {tasks.failed} failed</span>}
              </td>
              <td>
                {formatCost(spend.used.cost_usd)}
                {spend.budget !== null && ` of ${formatCost(spend.budget.cost_usd)}`}
              </td>
              <td>{updated_at === null ? "" : formatAge(updated_at, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
