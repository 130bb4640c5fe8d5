import { z } from "zod";

/** The programs of coding agents that Coordinator can be registered with. */
export const MCP_CLIENTS = ["claude", "codex", "cursor", "vscode", "opencode"] as const;
export const McpClient = z.enum(MCP_CLIENTS);
export type McpClient = z.infer<typeof McpClient>;
