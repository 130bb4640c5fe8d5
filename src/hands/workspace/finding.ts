/** Why something an agent left behind was not taken over, or what was noticed on the way. */
export interface Finding {
  readonly gate: Gate;
  /** From the root of the workspace, as people read it. */
  readonly path: string;
  readonly detail: string;
}

export type Gate =
  | "special_file"
  | "unreadable"
  | "too_deep"
  | "too_many"
  | "too_large"
  | "name"
  | "nested_repository"
  | "outside_view"
  | "outside_write_scope"
  | "gitlink"
  | "symlink"
  | "collision"
  | "attributes"
  | "agent_settings"
  | "bare_repository"
  | "objects"
  | "timeout";
