import type { McpClient } from "../model/settings/mcp-client.js";
import type { ShownToken } from "./serve/access-tokens.js";

/* Reports of the commands about the server. */

export type ServeReport =
  | Served
  | McpServed
  | McpRegistered
  | ProjectsListed
  | TokensListed
  | TokenAdded
  | TokenRevoked
  | LoginLink;

/** The server has stopped. */
interface Served {
  readonly type: "served";
  readonly url: string;
}

/** The agent that was served over MCP has gone. */
interface McpServed {
  readonly type: "mcp_served";
}

/** The change, made or proposed, of the file of one program of a coding agent. */
export interface ClientChange {
  readonly client: McpClient;
  readonly title: string;
  readonly file: string;
  /** `shown`: nothing was written. `already`: it was registered before. `changed`: the lines are not as they were written. */
  readonly status: "written" | "shown" | "declined" | "already" | "removed" | "changed" | "absent";
  /** The lines that are added or removed, each with its sign. */
  readonly diff: readonly string[];
}

interface McpRegistered {
  readonly type: "mcp_registered";
  readonly changes: readonly ClientChange[];
}

export interface ProjectsListed {
  readonly type: "projects";
  readonly done: "listed" | "added" | "known" | "removed";
  /** The one that was added or removed. */
  readonly root: string | null;
  readonly projects: readonly { readonly id: string; readonly root: string; readonly there: boolean }[];
  readonly file: string;
}

export interface TokensListed {
  readonly type: "tokens";
  readonly tokens: readonly ShownToken[];
}

interface TokenAdded {
  readonly type: "token_added";
  readonly token: ShownToken;
  /** Shown this once. */
  readonly secret: string;
}

interface TokenRevoked {
  readonly type: "token_revoked";
  readonly token: ShownToken;
}

interface LoginLink {
  readonly type: "login";
  readonly url: string;
  readonly minutes: number;
}
