import {
  Background,
  Controls,
  type Edge,
  type NodeChange,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import "../../style/graph.css";
import { useCallback, useEffect, useMemo, useState } from "react";
import { go } from "../../router.ts";
import type { RunGraph } from "../../types.ts";
import type { TaskViewProps } from "../task-list.tsx";
import { TimelineView } from "../timeline-view.tsx";
import { activeGroups, type GraphItem, frontierOf, groupTasks, visibleGraph } from "./groups.ts";
import { GroupToggles } from "./group-toggles.tsx";
import { type DrawnNode, NODE_TYPES, SIZE } from "./nodes.tsx";
import { findRelated } from "./own-layout.ts";
import { usePlaces } from "./use-places.ts";

/** Shows the tasks and their dependencies, with a time line below. It opens where work is under way, never with everything at once. */
export default function GraphView(props: TaskViewProps) {
  const { graph } = props;
  const [lanes, setLanes] = useState(false);
  const [hidesDone, setHidesDone] = useState(false);
  const [hasTimeline, setTimeline] = useState(true);
  const tasks = useMemo(
    () => graph.tasks.filter(({ status }) => !(hidesDone && status === "completed")),
    [graph.tasks, hidesDone],
  );
  const groups = useMemo(() => (lanes ? [] : groupTasks(tasks)), [lanes, tasks]);
  // Until somebody opens or closes one, the groups with work are open.
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const active = useMemo(() => activeGroups(groups), [groups]);
  const open = chosen ?? active;
  const toggle = useCallback(
    (id: string) => {
      const now = new Set(open);
      if (!now.delete(id)) now.add(id);
      setChosen(now);
    },
    [open],
  );
  return (
    <>
      <p className="choices">
        <Toggle label="Lanes by agent" value={lanes} set={setLanes} />
        <Toggle label="Hide finished" value={hidesDone} set={setHidesDone} />
        <Toggle label="Timeline below" value={hasTimeline} set={setTimeline} />
      </p>
      {groups.length > 0 && <GroupToggles groups={groups} open={open} toggle={toggle} choose={setChosen} />}
      {tasks.length === 0 ? (
        <p className="empty">Every task is finished.</p>
      ) : (
        <ReactFlowProvider>
          <Picture {...props} tasks={tasks} groups={groups} openGroups={open} lanes={lanes} toggle={toggle} />
        </ReactFlowProvider>
      )}
      <p className="quiet">◆ and a thick border: on the critical path. The tab “Tasks” has the same as a table.</p>
      {hasTimeline && <TimelineView {...props} />}
    </>
  );
}

function Toggle({
  label,
  value,
  set,
}: {
  readonly label: string;
  readonly value: boolean;
  readonly set: (value: boolean) => void;
}) {
  return (
    <label>
      <input type="checkbox" checked={value} onChange={(event) => set(event.target.checked)} /> {label}
    </label>
  );
}

interface PictureProps extends TaskViewProps {
  readonly tasks: RunGraph["tasks"];
  readonly groups: ReturnType<typeof groupTasks>;
  readonly openGroups: ReadonlySet<string>;
  readonly lanes: boolean;
  readonly toggle: (group: string) => void;
}

/** Ends of lines are known without drawing a node first: most of a large graph is never drawn. */
const HANDLES = [
  { type: "target" as const, position: Position.Left, x: 0, y: SIZE.height / 2, width: 1, height: 1 },
  { type: "source" as const, position: Position.Right, x: SIZE.width - 1, y: SIZE.height / 2, width: 1, height: 1 },
];

function Picture({ graph, selected, open, tasks, groups, openGroups, lanes: withLanes, toggle }: PictureProps) {
  const visible = useMemo(() => visibleGraph(tasks, groups, openGroups), [tasks, groups, openGroups]);
  const { places, lanes, shape } = usePlaces(visible, withLanes);
  const related = useMemo(
    () => (selected === null ? null : findRelated(selected, graph.tasks)),
    [selected, graph.tasks],
  );
  const critical = useMemo(() => new Set(graph.critical_path.tasks), [graph.critical_path]);

  const nodes = useMemo((): DrawnNode[] => {
    const isAny = (item: GraphItem, among: ReadonlySet<string>) =>
      item.kind === "task" ? among.has(item.id) : item.group.tasks.some(({ task_id }) => among.has(task_id));
    const drawn = visible.items.map((item): DrawnNode => {
      const isCritical = isAny(item, critical);
      const marks = { isDim: related !== null && !isAny(item, related), isCritical };
      const base = {
        id: item.id,
        position: places.get(item.id) ?? { x: 0, y: 0 },
        ...SIZE,
        handles: HANDLES,
        ariaRole: "button" as const,
      };
      return item.kind === "task"
        ? {
            ...base,
            type: "task",
            selected: item.id === selected,
            data: { task: item.task, ...marks },
          }
        : {
            ...base,
            type: "group",
            selected: false,
            data: { group: item.group, ...marks },
          };
    });
    const names = lanes.map(({ name, y }): DrawnNode => ({
      id: `lane:${name}`,
      type: "lane",
      position: { x: -160, y },
      width: 140,
      height: SIZE.height,
      selectable: false,
      focusable: false,
      data: { name },
    }));
    return [...drawn, ...names];
  }, [visible, places, lanes, related, critical, selected]);

  const edges = useMemo((): Edge[] => {
    const relatedDrawn = related === null ? null : new Set([...related].map((id) => visible.drawnAs.get(id) ?? id));
    const criticalDrawn = new Set([...critical].map((id) => visible.drawnAs.get(id) ?? id));
    return visible.edges.map(({ from, to }) => ({
      id: `${from}→${to}`,
      source: from,
      target: to,
      focusable: false,
      className: [
        relatedDrawn !== null && !(relatedDrawn.has(from) && relatedDrawn.has(to)) && "dim",
        criticalDrawn.has(from) && criticalDrawn.has(to) && "critical",
      ]
        .filter(Boolean)
        .join(" "),
    }));
  }, [visible, related, critical]);

  // Clicks and the keyboard both arrive as a change of the selection.
  const act = useCallback(
    (changes: readonly NodeChange<DrawnNode>[]) => {
      for (const change of changes) {
        if (change.type !== "select" || !change.selected) continue;
        if (change.id.startsWith("group:")) toggle(change.id);
        else go(open(change.id));
      }
    },
    [toggle, open],
  );
  const isFar = useStore(({ transform }) => transform[2] < 0.5);
  return (
    <div className={["graph", isFar && "far", visible.items.length <= SMALL && "small"].filter(Boolean).join(" ")}>
      <ReactFlow<DrawnNode>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        onlyRenderVisibleElements
        minZoom={0.1}
        maxZoom={1.5}
        onNodesChange={act}
        ariaLabelConfig={ARIA}
      >
        <Background />
        <Controls showInteractive={false} />
        <Fit to={useMemo(() => frontierOf(visible), [visible])} shape={shape} />
      </ReactFlow>
    </div>
  );
}

/** A picture of so few needs no room for more. */
const SMALL = 8;

const ARIA = {
  "node.a11yDescription.default": "Press Enter to open it.",
  "node.a11yDescription.keyboardDisabled": "Press Enter to open it.",
};

/** Shows the frontier when the shape of the picture changes, and leaves it where it is when only states do. */
function Fit({ to, shape }: { readonly to: readonly string[]; readonly shape: string }) {
  const { fitView } = useReactFlow();
  useEffect(() => {
    // After the new places are known to the picture, which is one frame later.
    const frame = requestAnimationFrame(
      () => void fitView({ nodes: to.map((id) => ({ id })), maxZoom: 1, minZoom: 0.5 }),
    );
    return () => cancelAnimationFrame(frame);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- moves with the shape alone
  }, [shape, fitView]);
  return null;
}
