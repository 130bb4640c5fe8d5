import type { WorkspaceSettings } from "../../../model/settings/configuration.js";

export type SetupSettings = NonNullable<WorkspaceSettings["setup"]>;

/** Where a setup works, and where what it makes is kept. */
export interface SetupPlace {
  readonly workspace: string;
  /** A file of the workspace, or null. Contract: follows no link. */
  readonly readFile: (path: string, most: number) => Promise<string | null>;
  /** Where what setup made is kept for later workspaces, and where its logs are. */
  readonly cache: string;
  readonly env: Readonly<Record<string, string>>;
}
