import { tellGroup } from "./nodes.tsx";
import type { TaskGroup } from "./groups.ts";

/** The groups as a list of switches: what is open is drawn task by task. */
export function GroupToggles({
  groups,
  open,
  toggle,
  choose,
}: {
  readonly groups: readonly TaskGroup[];
  readonly open: ReadonlySet<string>;
  readonly toggle: (group: string) => void;
  /** Null: those with work are open. */
  readonly choose: (groups: ReadonlySet<string> | null) => void;
}) {
  return (
    <div className="groups" role="group" aria-label="Groups of tasks">
      {groups.map((group) => (
        <button
          key={group.id}
          type="button"
          aria-expanded={open.has(group.id)}
          title={tellGroup(group)}
          onClick={() => toggle(group.id)}
        >
          {open.has(group.id) ? "▾" : "▸"} {group.name} <small>{tellGroup(group)}</small>
        </button>
      ))}
      <button type="button" className="plain" onClick={() => choose(new Set())}>
        Close all
      </button>
      <button type="button" className="plain" onClick={() => choose(null)}>
        Open those with work
      </button>
    </div>
  );
}
