import type { CommandEntry, Registry } from "../../model/plan/registry.js";
import { selectMemory } from "./memory/select-memory.js";
import type { PlannerInput } from "./planner.js";

/* The prompt of a planner. The same input gives the same text; nothing of the environment goes into it. */

export const PLANNER_SYSTEM =
  "You propose plans for software work: which workflow, which tasks, in which order, with which files each may write. You " +
  "change nothing. Rules judge what you propose: names that are not in the registry and files outside of the repository " +
  "are refused, and every task must pass the rules of its command. Keep tasks small enough for one agent, and let them " +
  "depend on each other only where one builds on what another leaves.";

export function plannerPrompt({ message, text, intake, spec, registry, facts, memory }: PlannerInput): string {
  const { objective, requirements, constraints } = message.payload;
  const parts = [
    `## Your task: propose a plan for this request\n<request>\n${text}\n</request>`,
    `Objective: ${objective}`,
    section(
      "Requirements",
      requirements.map(
        ({ requirement, priority, acceptance_criteria }) =>
          `${requirement} (${priority})${acceptance_criteria.map((each) => `; ${each}`).join("")}`,
      ),
    ),
    section("Limits", [
      `${constraints.max_tokens} tokens and ${constraints.max_time_seconds} seconds for all tasks together`,
      ...(constraints.technologies.length === 0 ? [] : [`Technologies: ${constraints.technologies.join(", ")}`]),
      `Project type: ${constraints.project_type}; approach: ${intake.approach}`,
    ]),
    spec === null ? "" : `## Intent Spec\n${JSON.stringify(spec)}`,
    section(
      "Facts",
      Object.entries(facts?.facts ?? {}).map(([name, fact]) => `${name}: ${valueOf(fact)}`),
    ),
    section(
      "Remembered of this project",
      selectMemory(memory, { text, files: [] }).map((note) => `${note.ref}: ${note.text}`),
    ),
    workflows(registry),
    section("Commands", registry.commands.filter(isActive).map(commandLine)),
    "If the input does not suffice for a plan, answer with `questions` instead: what a person must say first. Invent nothing.",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const isActive = ({ status }: { readonly status: string }) => status === "active";

function workflows({ workflows: all }: Registry): string {
  return section(
    "Workflows",
    all
      .filter(isActive)
      .map(({ id, title, phases }) => `${id}: ${title} (phases ${phases.map(({ phase }) => phase).join(", ")})`),
  );
}

function commandLine({ id, title, phase, effects, needs }: CommandEntry): string {
  return `${id}: ${title} (phase ${phase}; ${effects.join(", ")}${needs.length === 0 ? "" : `; after ${needs.join(", ")}`})`;
}

function valueOf(fact: unknown): string {
  const values = (Array.isArray(fact) ? fact : [fact]) as readonly { readonly value: unknown }[];
  return values.map(({ value }) => JSON.stringify(value)).join(" or ");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`## ${title}`, ...lines.map((line) => `- ${line}`)].join("\n");
}
