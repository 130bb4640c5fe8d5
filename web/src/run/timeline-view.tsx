import { useEffect, useState } from "react";
import { formatClock, formatDuration, words } from "../format.ts";
import { Link } from "../parts/link.tsx";
import type { WaitSpan, WorkSpan } from "../types.ts";
import type { TaskViewProps } from "./task-list.tsx";

/** When what was done: attempts, proofs, merges, and waiting on people, one row a task. */
export function TimelineView({ graph, selected, open }: TaskViewProps) {
  const isOpen = [...graph.work, ...graph.waits].some(({ to }) => to === null);
  const now = useNow(isOpen);
  const spans = [...graph.work, ...graph.waits];
  if (spans.length === 0) return <p className="empty">Nothing has begun yet.</p>;
  const begin = Math.min(...spans.map(({ from }) => Date.parse(from)));
  const end = Math.max(begin + 1000, ...spans.map(({ to }) => (to === null ? now : Date.parse(to))));
  const place = ({ from, to }: { readonly from: string; readonly to: string | null }) => {
    const left = (Date.parse(from) - begin) / (end - begin);
    const width = ((to === null ? now : Date.parse(to)) - Date.parse(from)) / (end - begin);
    return { left: `${left * 100}%`, width: `max(3px, ${Math.max(0, width) * 100}%)` };
  };
  const general = graph.waits.filter(({ task_id }) => task_id === null);
  return (
    <div className="timeline">
      <p className="quiet">
        {formatClock(new Date(begin).toISOString())} to {formatClock(new Date(end).toISOString())},{" "}
        {formatDuration(end - begin)}. ▬ attempt · ▨ verify · ▩ integrate and review · ░ waiting on a person
      </p>
      {general.length > 0 && (
        <div className="row">
          <span className="name">The whole run</span>
          <span className="bars">
            {general.map((span) => (
              <Bar key={span.entry_id} className="wait" style={place(span)} told={tellWait(span, now)} />
            ))}
          </span>
        </div>
      )}
      {graph.tasks.map(({ task_id, title }) => (
        <div key={task_id} className={task_id === selected ? "row selected" : "row"}>
          <span className="name">
            <Link to={open(task_id)}>{title}</Link>
          </span>
          <span className="bars">
            {graph.waits
              .filter((span) => span.task_id === task_id)
              .map((span) => (
                <Bar key={span.entry_id} className="wait" style={place(span)} told={tellWait(span, now)} />
              ))}
            {graph.work
              .filter((span) => span.task_id === task_id)
              .map((span) => (
                <Bar key={span.sequence} className={classOf(span)} style={place(span)} told={tellWork(span, now)} />
              ))}
          </span>
        </div>
      ))}
    </div>
  );
}

function Bar({
  className,
  style,
  told,
}: {
  readonly className: string;
  readonly style: object;
  readonly told: string;
}) {
  return (
    <span className={`bar ${className}`} style={style} title={told}>
      <span className="unseen">{told}</span>
    </span>
  );
}

const isBad = (outcome: string | null) => outcome !== null && /fail|FAIL|crash|timeout|violation/.test(outcome);
const classOf = ({ stage, outcome }: WorkSpan) => `${stage}${isBad(outcome) ? " bad" : ""}`;

function lasted({ from, to }: { readonly from: string; readonly to: string | null }, now: number): string {
  return formatDuration((to === null ? now : Date.parse(to)) - Date.parse(from));
}

const tellWork = (span: WorkSpan, now: number) =>
  `${span.stage} ${span.attempt} by ${span.agent}, ${lasted(span, now)}: ${span.outcome === null ? "under way" : words(span.outcome)}`;

const tellWait = (span: WaitSpan, now: number) =>
  `waiting on a person (${words(span.kind)}), ${lasted(span, now)}${span.by === null ? "" : `, decided by ${span.by}`}`;

/** The time, every second while something is under way. */
function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
