import { type CSSProperties, memo, useEffect, useMemo, useState } from "react";
import { formatClock, formatDuration, words } from "../format.ts";
import { Link } from "../parts/link.tsx";
import type { GraphTask, RunGraph, WaitSpan, WorkSpan } from "../types.ts";
import type { TaskViewProps } from "./task-list.tsx";

/** When what was done: attempts, proofs, merges, and waiting on people, one row a task. */
export function TimelineView({ graph, selected, open }: TaskViewProps) {
  const { work, waits, tasks } = graph;
  const isWorking = useMemo(() => work.some(({ to }) => to === null), [work]);
  const isWaiting = useMemo(() => waits.some(({ to }) => to === null), [waits]);
  const now = useNow(isWorking ? TICK_MS : isWaiting ? SLOW_TICK_MS : null);
  const spans = useSpansByTask(graph);
  const critical = useMemo(() => new Set(graph.critical_path.tasks), [graph.critical_path]);
  const begin = useMemo(() => Math.min(...[...work, ...waits].map(({ from }) => Date.parse(from))), [work, waits]);
  if (work.length + waits.length === 0) return <p className="empty">Nothing has begun yet.</p>;
  const end = endOf([...work, ...waits], begin, now);
  // Bars are placed by what the whole timeline says of its length: while time passes, no row is drawn again.
  const length = { "--length": end - begin } as CSSProperties;
  const general = spans.get("") ?? NO_SPANS;
  return (
    <div className="timeline" role="group" aria-label="Timeline" style={length}>
      <p className="quiet">
        {formatClock(new Date(begin).toISOString())} to {formatClock(new Date(end).toISOString())},{" "}
        {formatDuration(end - begin)}.
      </p>
      <ul className="legend">
        <li>
          <span className="bar attempt" /> attempt
        </li>
        <li>
          <span className="bar verify" /> verification
        </li>
        <li>
          <span className="bar integrate" /> merging and review
        </li>
        <li>
          <span className="bar wait" /> waiting on a person
        </li>
        <li>
          <span className="bar bad">✕</span> failed
        </li>
      </ul>
      {general.waits.length > 0 && (
        <div className="row">
          <span className="name">The whole run</span>
          <Bars spans={general} begin={begin} />
        </div>
      )}
      {tasks.map((task) => (
        <Row
          key={task.task_id}
          task={task}
          spans={spans.get(task.task_id) ?? NO_SPANS}
          begin={begin}
          isSelected={task.task_id === selected}
          isCritical={critical.has(task.task_id)}
          to={open(task.task_id)}
        />
      ))}
    </div>
  );
}

interface TaskSpans {
  readonly work: readonly WorkSpan[];
  readonly waits: readonly WaitSpan[];
}

const NO_SPANS: TaskSpans = { work: [], waits: [] };

/** The spans of each task; those of no task have the empty name. */
function useSpansByTask({ work, waits }: RunGraph): ReadonlyMap<string, TaskSpans> {
  return useMemo(() => {
    const found = new Map<string, { work: WorkSpan[]; waits: WaitSpan[] }>();
    const of = (task: string) => {
      const own = found.get(task) ?? { work: [], waits: [] };
      found.set(task, own);
      return own;
    };
    for (const span of work) of(span.task_id).work.push(span);
    for (const span of waits) of(span.task_id ?? "").waits.push(span);
    return found;
  }, [work, waits]);
}

/** The end moves in steps that can be seen. */
function endOf(
  spans: readonly { readonly from: string; readonly to: string | null }[],
  begin: number,
  now: number,
): number {
  const last = Math.max(...spans.map(({ to }) => (to === null ? now : Date.parse(to))));
  const step = Math.max(1000, (last - begin) / 200);
  return begin + Math.max(1, Math.ceil((last - begin) / step)) * step;
}

interface RowProps {
  readonly task: GraphTask;
  readonly spans: TaskSpans;
  readonly begin: number;
  readonly isSelected: boolean;
  readonly isCritical: boolean;
  readonly to: string;
}

const Row = memo(function Row({ task, spans, begin, isSelected, isCritical, to }: RowProps) {
  return (
    <div className={isSelected ? "row selected" : "row"}>
      <span className="name">
        <Link to={to} current={isSelected}>
          {isCritical && "◆ "}
          {task.title}
        </Link>
      </span>
      <Bars spans={spans} begin={begin} />
    </div>
  );
});

function Bars({ spans: { work, waits }, begin }: { readonly spans: TaskSpans; readonly begin: number }) {
  return (
    <span className="bars">
      {waits.map((span) => (
        <Bar key={span.entry_id} className="wait" span={span} begin={begin} told={tellWait(span)} />
      ))}
      {work.map((span) => {
        const isBad = isFailure(span.outcome);
        const name = `${span.stage}${isBad ? " bad" : ""}`;
        return (
          <Bar
            key={span.sequence}
            className={name}
            span={span}
            begin={begin}
            told={tellWork(span)}
            sign={isBad ? "✕" : ""}
          />
        );
      })}
    </span>
  );
}

interface BarProps {
  readonly className: string;
  readonly span: { readonly from: string; readonly to: string | null };
  readonly begin: number;
  readonly told: string;
  readonly sign?: string;
}

function Bar({ className, span: { from, to }, begin, told, sign = "" }: BarProps) {
  const start = Date.parse(from) - begin;
  const lasts = to === null ? `(var(--length) - ${start})` : String(Date.parse(to) - Date.parse(from));
  const style = {
    left: `calc(${start} / var(--length) * 100%)`,
    width: `max(3px, ${lasts} / var(--length) * 100%)`,
  };
  return (
    <span className={`bar ${className}`} style={style} role="img" aria-label={told} title={told}>
      {sign}
    </span>
  );
}

const isFailure = (outcome: string | null) => outcome !== null && /fail|crash|timeout|violation|blocked/i.test(outcome);

const describeDuration = ({ from, to }: { readonly from: string; readonly to: string | null }) =>
  to === null ? `since ${formatClock(from)}` : formatDuration(Date.parse(to) - Date.parse(from));

const tellWork = (span: WorkSpan) =>
  `${span.stage} ${span.attempt} by ${span.agent}, ${describeDuration(span)}: ${span.outcome === null ? "under way" : words(span.outcome)}`;

const tellWait = (span: WaitSpan) =>
  `waiting on a person (${words(span.kind)}), ${describeDuration(span)}${span.by === null ? "" : `, decided by ${span.by}`}`;

const TICK_MS = 1000;
/** People take longer than a second. */
const SLOW_TICK_MS = 10_000;

/** The time, told again after each tick. */
function useNow(tickMs: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (tickMs === null) return undefined;
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  return now;
}
