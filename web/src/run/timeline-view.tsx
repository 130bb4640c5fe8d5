import { memo, useEffect, useMemo, useState } from "react";
import { formatClock, formatDuration, words } from "../format.ts";
import { Link } from "../parts/link.tsx";
import type { GraphTask, RunGraph, WaitSpan, WorkSpan } from "../types.ts";
import type { TaskViewProps } from "./task-list.tsx";

interface Range {
  readonly begin: number;
  readonly end: number;
}

/** When what was done: attempts, proofs, merges, and waiting on people, one row a task. */
export function TimelineView({ graph, selected, open }: TaskViewProps) {
  const { work, waits, tasks } = graph;
  const isOpen = useMemo(() => [...work, ...waits].some(({ to }) => to === null), [work, waits]);
  const now = useNow(isOpen);
  const spans = useSpansByTask(graph);
  const critical = useMemo(() => new Set(graph.critical_path.tasks), [graph.critical_path]);
  const range = useMemo(() => rangeOf([...work, ...waits], now), [work, waits, now]);
  if (range === null) return <p className="empty">Nothing has begun yet.</p>;
  const general = spans.get("") ?? NO_SPANS;
  return (
    <div className="timeline" role="group" aria-label="Timeline">
      <p className="quiet">
        {formatClock(new Date(range.begin).toISOString())} to {formatClock(new Date(range.end).toISOString())},{" "}
        {formatDuration(range.end - range.begin)}.
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
          <Bars spans={general} range={range} />
        </div>
      )}
      {tasks.map((task) => (
        <Row
          key={task.task_id}
          task={task}
          spans={spans.get(task.task_id) ?? NO_SPANS}
          range={spans.has(task.task_id) ? range : NO_RANGE}
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
/** A row without bars stays as it is while time passes. */
const NO_RANGE: Range = { begin: 0, end: 1 };

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

function rangeOf(spans: readonly { readonly from: string; readonly to: string | null }[], now: number): Range | null {
  if (spans.length === 0) return null;
  let begin = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const { from, to } of spans) {
    begin = Math.min(begin, Date.parse(from));
    end = Math.max(end, to === null ? now : Date.parse(to));
  }
  // The end moves in steps that can be seen, so that rows are not drawn anew every second.
  const step = Math.max(1000, (end - begin) / 200);
  return { begin, end: begin + Math.max(1, Math.ceil((end - begin) / step)) * step };
}

interface RowProps {
  readonly task: GraphTask;
  readonly spans: TaskSpans;
  readonly range: Range;
  readonly isSelected: boolean;
  readonly isCritical: boolean;
  readonly to: string;
}

const Row = memo(function Row({ task, spans, range, isSelected, isCritical, to }: RowProps) {
  return (
    <div className={isSelected ? "row selected" : "row"}>
      <span className="name">
        <Link to={to} current={isSelected}>
          {isCritical && "◆ "}
          {task.title}
        </Link>
      </span>
      <Bars spans={spans} range={range} />
    </div>
  );
});

function Bars({ spans: { work, waits }, range }: { readonly spans: TaskSpans; readonly range: Range }) {
  return (
    <span className="bars">
      {waits.map((span) => (
        <Bar key={span.entry_id} className="wait" span={span} range={range} told={tellWait(span, range)} />
      ))}
      {work.map((span) => {
        const isBad = isFailure(span.outcome);
        const name = `${span.stage}${isBad ? " bad" : ""}`;
        return (
          <Bar
            key={span.sequence}
            className={name}
            span={span}
            range={range}
            told={tellWork(span, range)}
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
  readonly range: Range;
  readonly told: string;
  readonly sign?: string;
}

function Bar({ className, span: { from, to }, range: { begin, end }, told, sign = "" }: BarProps) {
  const left = (Date.parse(from) - begin) / (end - begin);
  const width = Math.max(0, ((to === null ? end : Date.parse(to)) - Date.parse(from)) / (end - begin));
  const style = { left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` };
  return (
    <span className={`bar ${className}`} style={style} title={told}>
      <span aria-hidden="true">{sign}</span>
      <span className="unseen">{told}</span>
    </span>
  );
}

const isFailure = (outcome: string | null) => outcome !== null && /fail|crash|timeout|violation|blocked/i.test(outcome);

function lasted({ from, to }: { readonly from: string; readonly to: string | null }, { end }: Range): string {
  return formatDuration((to === null ? end : Date.parse(to)) - Date.parse(from));
}

const tellWork = (span: WorkSpan, range: Range) =>
  `${span.stage} ${span.attempt} by ${span.agent}, ${lasted(span, range)}: ${span.outcome === null ? "under way" : words(span.outcome)}`;

const tellWait = (span: WaitSpan, range: Range) =>
  `waiting on a person (${words(span.kind)}), ${lasted(span, range)}${span.by === null ? "" : `, decided by ${span.by}`}`;

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
