import { z } from "zod";
import { AgentSettings } from "./agent-config.js";
import { Check } from "./check.js";
import { text } from "./primitives.js";
import { RunPolicy } from "./run.js";
import { TaskType } from "./task.js";

/*
 * `coordinator.yaml` at the root of a repository: which agents there are, who plays which builder, what is checked, and
 * how workspaces are made ready. Everything has a default; an empty file is a whole configuration.
 */

const AgentName = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, {
  error: "must be a lower-case letter followed by letters, digits, - and _",
});

const Globs = z.array(text(1, 1024)).max(1000);

const Setup = z.strictObject({
  run: text(1, 4096).describe("A command line for `sh`, run once in every new workspace, inside the sandbox."),
  inputs: z
    .array(text(1, 512))
    .max(100)
    .default([])
    .describe(
      "Files whose content decides the result, such as a lockfile. With `keeps`, they are the key of the cache.",
    ),
  keeps: z
    .array(text(1, 512))
    .max(50)
    .default([])
    .describe("Folders the command makes, such as node_modules: copied into later workspaces instead of made again."),
  mounts: z
    .array(text(3, 1024).regex(/^~\/(?!\/)/, { error: "must be a folder below your home, written ~/…" }))
    .max(20)
    .default([])
    .describe(
      "Folders below your home that are shown read-only in every workspace, such as the package cache ~/.npm; they " +
        "stand at the same place below the home inside.",
    ),
  minutes: z.number().min(0.1).max(240).default(10),
});

export const WorkspaceSettings = z.strictObject({
  setup: Setup.optional(),
  folder: text(1, 1024).optional().describe("Where workspaces are made; never inside the repository."),
  most_gigabytes: z.number().min(0.1).max(100_000).default(20),
  most_workspaces: z.int().min(1).max(10_000).default(64),
  hidden: Globs.default([]).describe("What no agent ever sees, such as documents it was not given."),
  ports: z
    .strictObject({ first: z.int().min(1024).max(65_535), each: z.int().min(1).max(100).default(10) })
    .optional()
    .describe("Every workspace gets its own range, told in COORDINATOR_PORT and COORDINATOR_PORTS."),
});

export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

const ScopeSettings = z.strictObject({
  read: Globs.default(["**"]),
  commands: z.array(text(1, 2048)).max(1000).default([]).describe("What every builder may run beside the checks."),
  network: z.array(text(1, 255)).max(200).default([]),
});

export const Configuration = z.strictObject({
  schema_version: z.literal("1.0.0").default("1.0.0"),
  project: text(1, 120).optional(),
  agents: z.record(AgentName, AgentSettings).default({}),
  default_agent: AgentName.optional().describe("Who plays a builder that nobody else is named for."),
  builders: z.partialRecord(TaskType, AgentName).default({}).describe("Who plays which builder."),
  resolver: AgentName.optional().describe("Who resolves conflicts; the default agent when absent."),
  checks: z.array(Check).max(50).default([]),
  workspace: WorkspaceSettings.prefault({}),
  scope: ScopeSettings.prefault({}),
  run: RunPolicy.prefault({}),
  headroom: z
    .number()
    .min(1)
    .max(100)
    .default(2)
    .describe("What is set aside for an attempt, as a multiple of its estimate: it is stopped when it uses more."),
  calls_per_attempt: z.int().min(1).max(1_000_000).default(1000).describe("Model calls an attempt may make."),
  sandbox: z
    .strictObject({
      memory_mb: z.int().min(64).max(1_000_000).optional(),
      processes: z.int().min(16).max(100_000).optional(),
      cpu_minutes: z.number().min(0.1).max(10_000).optional(),
    })
    .prefault({}),
});
export type Configuration = z.infer<typeof Configuration>;
