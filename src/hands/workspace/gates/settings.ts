import { compileGlob } from "../../../foundation/globs/glob.js";
import type { Finding } from "../finding.js";
import { shownPath } from "../../git/records.js";
import { foldName } from "../git-names.js";
import { listArriving, makeFinding, type GateInput } from "./gate-input.js";

/* Files that make other programs of the user run something: agents, editors, hook managers. */
const FOLDERS = [
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".opencode",
  ".goose",
  ".copilot",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".husky",
  ".githooks",
  ".hooks",
];
const FILES = [
  ".mcp.json",
  "opencode.json",
  "opencode.jsonc",
  ".envrc",
  ".pre-commit-config.yaml",
  ".pre-commit-config.yml",
  "lefthook.yml",
  "lefthook.yaml",
  ".lefthook.yml",
  ".lefthook.yaml",
  "lefthook.toml",
  "lefthook.json",
  ".overcommit.yml",
  ".huskyrc",
  ".huskyrc.json",
  ".simple-git-hooks.json",
  ".simple-git-hooks.js",
  ".simple-git-hooks.cjs",
];

/** Contract: such a file passes only when a pattern of the write scope names it; `**` names nothing. */
export function settingsGate(input: GateInput): Finding[] {
  const patterns = input.write.map((pattern) => ({
    matches: compileGlob(pattern),
    segments: pattern.split("/").map(foldName),
  }));
  return listArriving(input).flatMap(({ path }) => {
    const text = shownPath(path);
    const segments = text.split("/").map(foldName);
    const name = segments.find(
      (segment, at) => FOLDERS.includes(segment) || (at === segments.length - 1 && FILES.includes(segment)),
    );
    if (name === undefined) return [];
    if (patterns.some(({ matches, segments: named }) => named.includes(name) && matches(text))) return [];
    return [
      makeFinding(
        "agent_settings",
        path,
        `${name} can make other programs run something, and no pattern of the write scope names it`,
      ),
    ];
  });
}
