import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { Status, toneOf } from "../../parts/status.tsx";
import type { GraphTask } from "../../types.ts";
import { noteOf } from "../task-list.tsx";
import type { TaskGroup } from "./groups.ts";

/* Nodes of the graph: tasks, closed groups of them, and the names of lanes. */

export const SIZE = { width: 210, height: 74 };

// Types, since what a node carries must have an index signature.
type Marks = { readonly isDim: boolean; readonly isCritical: boolean };

type TaskNode = Node<Marks & { readonly task: GraphTask }, "task">;
type GroupNode = Node<Marks & { readonly group: TaskGroup }, "group">;
type LaneNode = Node<{ readonly name: string }, "lane">;
export type DrawnNode = TaskNode | GroupNode | LaneNode;

const classOf = (...names: readonly (string | false)[]) => names.filter(Boolean).join(" ");

const Ends = () => (
  <>
    <Handle type="target" position={Position.Left} isConnectable={false} />
    <Handle type="source" position={Position.Right} isConnectable={false} />
  </>
);

const TaskCard = memo(function TaskCard({ data: { task, isDim, isCritical }, selected }: NodeProps<TaskNode>) {
  const classes = classOf(
    "node",
    toneOf(task.status),
    isDim && "dim",
    isCritical && "critical",
    selected && "selected",
  );
  return (
    <div className={classes}>
      <strong>
        {isCritical && "◆ "}
        {task.title}
      </strong>
      <Status of={task.status} note={noteOf(task)} />
      <span className="quiet">{task.agent}</span>
      <Ends />
    </div>
  );
});

const GroupCard = memo(function GroupCard({ data: { group, isDim, isCritical } }: NodeProps<GroupNode>) {
  const { done, total } = countTasks(group);
  return (
    <div className={classOf("node", "group-node", isDim && "dim", isCritical && "critical")}>
      <strong>
        ▸ {isCritical && "◆ "}
        {group.name}
      </strong>
      <progress max={total} value={done} aria-hidden="true" />
      <span className="quiet">{tellGroup(group)}</span>
      <Ends />
    </div>
  );
});

const LaneName = memo(function LaneName({ data: { name } }: NodeProps<LaneNode>) {
  return <div className="lane-name">{name}</div>;
});

export const NODE_TYPES = { task: TaskCard, group: GroupCard, lane: LaneName };

function countTasks({ tasks }: TaskGroup) {
  const count = (status: string) => tasks.filter((task) => task.status === status).length;
  return {
    total: tasks.length,
    done: count("completed"),
    running: count("in_progress"),
    blocked: count("blocked"),
    failed: count("failed"),
  };
}

/** How a group stands, in words. */
export function tellGroup(group: TaskGroup): string {
  const { total, done, running, blocked, failed } = countTasks(group);
  const parts = [
    `${done} of ${total} done`,
    running > 0 && `▶ ${running} running`,
    blocked > 0 && `‖ ${blocked} blocked`,
    failed > 0 && `✕ ${failed} failed`,
  ];
  return parts.filter(Boolean).join(" · ");
}
