import { stringify } from "yaml";
import { ReviewCategory } from "../../model/primitives.js";
import type { AgentSettings } from "../../model/settings/agent-config.js";
import type { DetectedCheck } from "./detect-checks.js";
import type { FoundTool } from "./find-tools.js";
import type { SuggestedSetup } from "./detect-setup.js";

/* The first `coordinator.yaml` of a project: what was found, and a word on each part. Pure: same findings, same text. */

export interface DraftedAgent {
  readonly name: string;
  /** Only what the file has to say. */
  readonly settings: Partial<AgentSettings>;
  readonly note: string;
  /** Whether it works with a login of a person's. */
  readonly login?: boolean;
}

export interface DraftInput {
  readonly agents: readonly DraftedAgent[];
  readonly checks: readonly DetectedCheck[];
  /** Checks that were found and do not run here, and why. */
  readonly left?: readonly { readonly detected: DetectedCheck; readonly why: string }[];
  readonly setup: SuggestedSetup | null;
  readonly tools: readonly FoundTool[];
  /** Who reviews until others are named, as git or the system calls them; null when nobody is named. */
  readonly reviewer?: string | null;
  /** Whether the files for people stand in the working tree. */
  readonly board?: boolean;
}

export function draftConfiguration(input: DraftInput): string {
  const { agents, checks, left = [], setup, tools, reviewer = null, board = false } = input;
  const parts = [
    HEAD,
    agentsPart(agents),
    ...(reviewer === null ? [] : [reviewersPart(reviewer)]),
    checksPart(checks, left),
    ...workspacePart(setup, tools),
    ...(board ? [BOARD] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

const HEAD = `# Who works in this repository, and what proves their work. Every key has a default.
# \`coordinator doctor\` says whether the agents named here work.`;

const BOARD = `# Files for people, kept up to date in the working tree while runs go on.
board:
  queue: tasks/work_queue.json
  hq: PROJECT_HQ.md
  sessions: sessions`;

/** A role that nobody holds can be used by nobody, so what is risky could never be merged. */
export function reviewersPart(person: string): string {
  const lines = ReviewCategory.options.map((category) => `  ${category}: [${JSON.stringify(person)}]`);
  return `# Who may review what is risky, by git's user.name or user.email: you, until you name others.
reviewers:\n${lines.join("\n")}`;
}

function agentsPart(agents: readonly DraftedAgent[]): string {
  const [first] = agents;
  if (first === undefined)
    return `# No agent is installed here. Put one here:
# agents:
#   claude:
#     preset: claude
# default_agent: claude`;
  const entries = agents.map(
    ({ name, settings, note }) => `  # ${note}\n${indentLines(stringify({ [name]: settings }))}`,
  );
  return `agents:\n${entries.join("\n")}\n# Who does a task that nobody else is named for.\ndefault_agent: ${first.name}\n${proposersPart(first)}`;
}

/** An agent that thinks writes Intent Specs and plans; one that follows a script does neither. */
function proposersPart({ name, settings }: DraftedAgent): string {
  if (settings.preset === "scripted")
    return `# Who plans: \`template\` goes by the words and needs no model. Without \`product\` you are asked what a wish must bring about.\nplanner: template`;
  return `# Who writes down what a wish must bring about before it is planned, and who plans. \`planner: template\` needs no model;
# without \`product\` you are asked instead. If it cannot plan, the template does.
product: ${name}
planner: ${name}
proposing:
  otherwise: template`;
}

function checksPart(checks: readonly DetectedCheck[], left: NonNullable<DraftInput["left"]>): string {
  if (checks.length === 0)
    return `# No check was found. Without checks nothing is proven but that a result is in its scope:
# checks:
#   - name: test
#     kind: test
#     run: make test`;
  const entryOf = ({ check: { name, kind, run, report }, because }: DetectedCheck) => {
    const told = { name, kind, run, ...(report.file === undefined ? {} : { report }) };
    return `  # from ${because}\n${indentLines(stringify([told], { lineWidth: 0 }))}`;
  };
  const entries = [
    ...checks.map(entryOf),
    ...left.map(
      ({ detected, why }) =>
        `  # Does not run here: ${why.replaceAll(/\s+/g, " ")}\n${entryOf(detected).replaceAll(/^ {2}(?:# )?/gm, "  # ")}`,
    ),
  ];
  return `# Run on the base and on every result: what failed before is told apart from what broke now.\nchecks:\n${entries.join("\n")}`;
}

function workspacePart(setup: SuggestedSetup | null, tools: readonly FoundTool[]): string[] {
  if (setup === null && tools.length === 0) return [];
  const parts = [...(setup === null ? [] : [setupPart(setup)]), ...(tools.length === 0 ? [] : [toolsPart(tools)])];
  const silent = tools.length === 0 && setup?.tried === false;
  return [`${silent ? "# workspace:" : "workspace:"}\n${parts.join("\n")}`];
}

function setupPart({ run, build, inputs, keeps, mounts, caches, because, tried }: SuggestedSetup): string {
  const shown = mounts.length === 0 ? {} : { mounts };
  const built = build === undefined ? {} : { build };
  const setup = { run, ...built, inputs, keeps, caches, ...shown };
  const text = indentLines(stringify({ setup }, { flowCollectionPadding: true }));
  const head = `  # ${because}: run in new workspaces, inside the sandbox and without a network. What it makes is kept and copied
  # until one of the inputs changes. Caches are folders of your home: every workspace gets a copy it may write to.`;
  if (tried) return `${head}\n${text}`;
  return `${head}\n  # Not tried here: look at it, then take the marks away.\n${text.replaceAll(/^/gm, "# ")}`;
}

function toolsPart(tools: readonly FoundTool[]): string {
  const lines = tools.map(({ folder, because }) => `    - ${stringify(folder).trimEnd()} # for ${because}`);
  return `  # Toolchains outside of /usr: shown read-only in every workspace, and searched for programs.
  tools:\n${lines.join("\n")}`;
}

function indentLines(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gm, "  ");
}
