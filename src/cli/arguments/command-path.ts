import type { Command } from "commander";

/** `adr list` for the command that was called. */
export function commandPath(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent != null; at = at.parent) names.unshift(at.name());
  return names.join(" ");
}
