import type { GuardrailSeverity } from "../../model/plan/registry.js";

/*
 * The rules every scope is judged by. They stand in code because no registry may take them away; they are written in the
 * same language as the guardrails that come on top of them.
 */

export interface UseRule {
  readonly id: string;
  readonly severity: Extract<GuardrailSeverity, "safety" | "frozen" | "block">;
  readonly reason: string;
  readonly when: string;
}

export const CORE_RULES: readonly UseRule[] = [
  {
    id: "scope_tool_kind",
    severity: "frozen",
    reason: "The scope does not permit tools of this kind.",
    when: "!use.in_tools",
  },
  {
    id: "scope_git_internals",
    severity: "frozen",
    reason: "Only git itself writes below .git.",
    when: "size(use.git_internals) > 0",
  },
  {
    id: "scope_credentials",
    severity: "frozen",
    reason: "Files that hold keys, tokens and passwords are not for agents.",
    when: "size(use.credentials) > 0",
  },
  {
    id: "scope_outside_workspace",
    severity: "frozen",
    reason: "The path leads out of the workspace.",
    when: "size(use.outside_workspace) > 0",
  },
  {
    id: "scope_read",
    severity: "frozen",
    reason: "The path is not among those the attempt may read.",
    when: "size(use.reads_outside) > 0",
  },
  {
    id: "scope_write",
    severity: "block",
    reason: "The path is not among those the attempt may write.",
    when: "size(use.writes_outside) > 0",
  },
  {
    id: "scope_network",
    severity: "block",
    reason: "The host is not among those the attempt may reach.",
    when: "size(use.hosts_outside) > 0",
  },
  {
    id: "scope_command",
    severity: "block",
    reason: "The command is not among those the attempt may run.",
    when: "size(use.commands_outside) > 0",
  },
  {
    id: "scope_undecidable",
    severity: "block",
    reason: "The effect of this cannot be determined before it happens.",
    when: "size(use.undecidable) > 0",
  },
];
