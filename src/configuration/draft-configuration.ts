import { stringify } from "yaml";
import type { AgentSettings } from "../model/agent-config.js";
import type { DetectedCheck } from "./detect-checks.js";
import type { SuggestedSetup } from "./detect-setup.js";

/* The first `coordinator.yaml` of a project: what was found, and a word on each part. Pure: same findings, same text. */

export interface DraftedAgent {
  readonly name: string;
  /** Only what the file has to say. */
  readonly settings: Partial<AgentSettings>;
  readonly note: string;
}

export interface DraftInput {
  readonly agents: readonly DraftedAgent[];
  readonly checks: readonly DetectedCheck[];
  readonly setup: SuggestedSetup | null;
}

export function draftConfiguration({ agents, checks, setup }: DraftInput): string {
  return `${[HEAD, agentsPart(agents), checksPart(checks), ...(setup === null ? [] : [setupPart(setup)])].join("\n\n")}\n`;
}

const HEAD = `# Who works in this repository, and what proves their work. Every key has a default.
# \`coordinator doctor\` says whether the agents named here work.`;

function agentsPart(agents: readonly DraftedAgent[]): string {
  const [first] = agents;
  if (first === undefined)
    return `# No agent was found that is installed and logged in. Put one here:
# agents:
#   claude:
#     preset: claude
# default_agent: claude`;
  const entries = agents.map(({ name, settings, note }) => `  # ${note}\n${indented(stringify({ [name]: settings }))}`);
  return `agents:\n${entries.join("\n")}\n# Who does a task that nobody else is named for.\ndefault_agent: ${first.name}`;
}

function checksPart(checks: readonly DetectedCheck[]): string {
  if (checks.length === 0)
    return `# No check was found. Without checks nothing is proven but that a result is in its scope:
# checks:
#   - name: test
#     kind: test
#     run: make test`;
  const entries = checks.map(
    ({ check: { name, kind, run }, because }) => `  # from ${because}\n${indented(stringify([{ name, kind, run }]))}`,
  );
  return `# Run on the base and on every result: what failed before is told apart from what broke now.\nchecks:\n${entries.join("\n")}`;
}

function setupPart({ run, inputs, keeps, mounts, because, tried }: SuggestedSetup): string {
  const text = stringify({ workspace: { setup: { run, inputs, keeps, mounts } } }, { flowCollectionPadding: true });
  const head = `# ${because}: run once in every new workspace, inside the sandbox and without a network. What it makes is kept
# and copied until one of the inputs changes; the mounts are folders of your home, shown read-only.`;
  if (tried) return `${head}\n${text.trimEnd()}`;
  return `${head}\n# Not tried here: look at it, then take the marks away.\n${text.trimEnd().replaceAll(/^/gm, "# ")}`;
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gm, "  ");
}
