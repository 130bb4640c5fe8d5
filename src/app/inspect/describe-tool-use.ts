import type { Judgement, ToolUse } from "../../model/scope.js";

/** Describes what a tool does, for people: `edits src/csv.mjs`, `runs npm test`. */
export function describeUse(use: ToolUse): string {
  return `${VERBS[use.kind][0]}${objectOf(use)}`;
}

/** A tool use and how it was judged, without saying whose it is. Contract: an allowed effect is described by what it does alone. */
export function describeJudgedUse(use: ToolUse, { decision, rule_id, reason }: Judgement): string {
  const wish = `${VERBS[use.kind][1]}${objectOf(use)}`;
  switch (decision) {
    case "allow":
      return use.stage === "deed" ? describeUse(use) : `may ${wish}`;
    case "deny":
      return `may not ${wish}: ${rule_id}, ${reason}`;
    case "ask":
      return `may not ${wish} unless a person says so: ${rule_id}, ${reason}`;
    case "violation":
      return `violation, ${describeUse(use)}: ${rule_id}, ${reason}`;
    case "safety":
      return `stopped for safety, ${describeUse(use)}: ${rule_id}, ${reason}`;
  }
}

const VERBS: Readonly<Record<ToolUse["kind"], readonly [does: string, to: string]>> = {
  read: ["reads", "read"],
  edit: ["edits", "edit"],
  delete: ["deletes", "delete"],
  move: ["moves", "move"],
  search: ["searches", "search"],
  execute: ["runs", "run"],
  think: ["thinks", "think"],
  fetch: ["fetches", "fetch"],
  switch_mode: ["changes its mode", "change its mode"],
  other: ["uses", "use"],
};

const MOST_PATHS = 3;

function objectOf({ kind, command, paths, hosts, title }: ToolUse): string {
  if (kind === "think" || kind === "switch_mode") return "";
  if (command !== null) return ` ${command}`;
  const names = paths.length > 0 ? paths.map(({ path }) => path) : hosts;
  if (names.length === 0) return title === "" ? "" : ` ${title}`;
  const more = names.length > MOST_PATHS ? ` and ${names.length - MOST_PATHS} more` : "";
  return ` ${names.slice(0, MOST_PATHS).join(", ")}${more}`;
}
