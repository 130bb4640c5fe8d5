import { Background, Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { memo, useMemo, useState } from "react";
import { Status, toneOf } from "../parts/status.tsx";
import { go } from "../router.ts";
import type { GraphTask } from "../types.ts";
import { placeTasks, relatedTo } from "./layout.ts";
import { noteOf, type TaskViewProps } from "./task-list.tsx";

type TaskNode = Node<{ readonly task: GraphTask; readonly isDim: boolean; readonly isCritical: boolean }, "task">;

const TaskCard = memo(function TaskCard({ data: { task, isDim, isCritical }, selected }: NodeProps<TaskNode>) {
  const classes = ["node", toneOf(task.status), isDim && "dim", isCritical && "critical", selected && "selected"];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <strong>{task.title}</strong>
      <Status of={task.status} note={noteOf(task)} />
      <span className="quiet">{task.agent}</span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
});

/** So many tasks are readable at once. */
const FEW = 12;

const NODE_TYPES = { task: TaskCard };

/** What builds on what. It opens where work is under way, not with everything at once. */
export default function GraphView({ graph, selected, open }: TaskViewProps) {
  const [lanes, setLanes] = useState(false);
  const [hidesDone, setHidesDone] = useState(false);
  const shown = useMemo(
    () => graph.tasks.filter(({ status }) => !(hidesDone && status === "completed")),
    [graph.tasks, hidesDone],
  );
  const { nodes, edges } = useMemo(() => {
    const related = selected === null ? null : relatedTo(selected, graph.tasks);
    const critical = new Set(graph.critical_path.tasks);
    const isShown = new Set(shown.map(({ task_id }) => task_id));
    const nodes: TaskNode[] = placeTasks(shown, lanes).map(({ task, x, y }) => ({
      id: task.task_id,
      type: "task",
      position: { x, y },
      selected: task.task_id === selected,
      ariaLabel: `${task.title}, ${task.status}`,
      data: {
        task,
        isDim: related !== null && !related.has(task.task_id),
        isCritical: critical.has(task.task_id),
      },
    }));
    const edges: Edge[] = shown.flatMap(({ task_id, dependencies }) =>
      dependencies
        .filter((id) => isShown.has(id))
        .map((id) => ({
          id: `${id}→${task_id}`,
          source: id,
          target: task_id,
          className: related !== null && !(related.has(id) && related.has(task_id)) ? "dim" : "",
        })),
    );
    return { nodes, edges };
  }, [graph, shown, lanes, selected]);

  const frontier = shown.filter(({ status }) => status === "in_progress" || status === "blocked");
  const first = (shown.length <= FEW ? shown : frontier.length > 0 ? frontier : shown.slice(0, 6))
    .slice(0, FEW)
    .map(({ task_id }) => ({ id: task_id }));
  return (
    <>
      <p className="choices">
        <label>
          <input type="checkbox" checked={lanes} onChange={(event) => setLanes(event.target.checked)} /> Lanes by agent
        </label>
        <label>
          <input type="checkbox" checked={hidesDone} onChange={(event) => setHidesDone(event.target.checked)} /> Hide
          finished
        </label>
      </p>
      <div className="graph">
        <ReactFlow<TaskNode>
          key={`${String(lanes)} ${String(hidesDone)}`}
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          nodesDraggable={false}
          nodesConnectable={false}
          onlyRenderVisibleElements
          minZoom={0.1}
          maxZoom={1.5}
          fitView
          fitViewOptions={{ nodes: first, maxZoom: 1, minZoom: 0.5 }}
          onNodeClick={(_, node) => go(open(node.id))}
        >
          <Background />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
      <p className="quiet">
        The tab “Tasks” has the same as a table.{" "}
        {graph.critical_path.tasks.length > 0 && "Thick borders: the critical path."}
      </p>
    </>
  );
}
