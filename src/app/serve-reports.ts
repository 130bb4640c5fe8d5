import type { ShownToken } from "./serve/access-tokens.js";

/* What the commands about the server found. */

export type ServeReport = Served | McpServed | ProjectsListed | TokensListed | TokenAdded | TokenRevoked | LoginLink;

/** The server has stopped. */
interface Served {
  readonly type: "served";
  readonly url: string;
}

/** The agent that was served over MCP has gone. */
interface McpServed {
  readonly type: "mcp_served";
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
