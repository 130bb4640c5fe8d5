import type { BoardSettings } from "../../model/settings/configuration.js";
import { GuardrailEntry } from "../../model/plan/registry.js";

/** Files that the board writes, as globs from the root: its two files, and handoffs by the names they are given. */
export function boardPaths({ queue, hq, sessions }: BoardSettings): string[] {
  const handoffs = sessions === false ? false : `${sessions}/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]-[0-9]*.md`;
  return [queue, hq, handoffs].flatMap((path) => (typeof path === "string" ? [path] : []));
}

/** The guardrail that keeps the board's own files from agents. It holds for the paths that are configured. */
export function boardGuardrails({ queue, hq, sessions }: BoardSettings): GuardrailEntry[] {
  const paths = [queue, hq, sessions === false ? false : `${sessions}/**`].filter((path) => path !== false);
  if (paths.length === 0) return [];
  return [
    GuardrailEntry.parse({
      kind: "guardrail",
      id: "protect_board",
      version: "1.0.0",
      status: "active",
      title: "The files that the Coordinator writes for people",
      watches: "result",
      severity: "frozen",
      override: "nobody",
      reason: "The queue, PROJECT_HQ.md and the handoffs follow from the log; nobody else writes them.",
      paths,
    }),
  ];
}
