import { z } from "zod";
import { AgentSettings, ModelPrice, VariableName } from "./agent-config.js";
import { Check } from "./check.js";
import { CodeHostSettings } from "./code-host.js";
import { hasFolder } from "../fold-path.js";
import { ConfiguredName, ModelSettings, PlannerName, ProductName, ProposingSettings } from "./model-config.js";
import { Sensitivity, text } from "../primitives.js";
import { NotifySettings, RecordSettings } from "./record-config.js";
import { RunPolicy } from "../run.js";
import { TaskType } from "../task.js";

/*
 * `coordinator.yaml` at the root of a repository: which agents there are, who plays which builder, what is checked, and
 * how workspaces are made ready. Everything has a default; an empty file is a whole configuration.
 */

const Globs = z.array(text(1, 1024)).max(1000);

const Setup = z.strictObject({
  run: text(1, 4096).describe("A command line for `sh`, run once in every new workspace, inside the sandbox."),
  build: text(1, 4096)
    .optional()
    .describe(
      "A command line for `sh`, run in every new workspace after `run` or after what it made was copied: makes what is " +
        "made from the source, such as a build that an install starts.",
    ),
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
        "stand at the same place below the home inside, which is /home/agent.",
    ),
  caches: z
    .array(text(3, 1024).regex(/^~\/(?!\/)/, { error: "must be a folder below your home, written ~/…" }))
    .max(20)
    .default([])
    .describe(
      "Caches of package managers below your home, such as ~/.npm: every workspace gets a copy of its own that programs " +
        "may write to, at the same place below the home inside. Packages in them are shown read-only and not copied.",
    ),
  minutes: z.number().min(0.1).max(240).default(10),
});

export const WorkspaceSettings = z.strictObject({
  setup: Setup.optional(),
  tools: z
    .array(
      text(2, 1024).regex(/^(?:~\/(?!\/)|\/(?=[^/]))/, { error: "must be absolute, or below your home, written ~/…" }),
    )
    .max(20)
    .default([])
    .describe(
      "Folders of toolchains outside of /usr that checks and agents need, such as ~/.pyenv/versions/3.12.4: shown " +
        "read-only where they stand, and searched for programs.",
    ),
  folder: text(1, 1024)
    .regex(/^(?:\/|~\/)/, { error: "must be an absolute path, or begin with ~/" })
    .optional()
    .describe("Where workspaces are made; never inside the repository."),
  most_gigabytes: z.number().min(0.1).max(100_000).default(20),
  most_workspaces: z.int().min(1).max(10_000).default(64),
  hidden: Globs.default([]).describe("Globs of what no agent ever sees; a folder hides all that is in it."),
  ports: z
    .strictObject({ first: z.int().min(1024).max(65_535), each: z.int().min(1).max(100).default(10) })
    .optional()
    .describe("Every workspace gets its own range, told in COORDINATOR_PORT and COORDINATOR_PORTS."),
});

export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

const ScopeSettings = z.strictObject({
  read: Globs.default(["**"]),
  commands: z.array(text(1, 2048)).max(1000).default([]).describe("What every builder may run beside the checks."),
  network: z
    .array(text(1, 255))
    .max(200)
    .default([])
    .describe("Hosts every builder may reach: `api.example.com`, `*.example.com`, `:port` when it is not 443."),
});

const BoardPath = text(1, 512)
  .regex(/^(?!\/|[A-Za-z]:|(?:.*\/)?\.{1,2}(?:\/|$)|.*\/\/)[^\\*?{}[\]]+$/, {
    error: "must be a path inside the repository, written with / and without . or ..",
  })
  .refine((path) => !hasFolder(path, ".git") && !hasFolder(path, ".coordinator"), {
    error: "must be a path outside of .git and .coordinator",
  });
const boardFile = (path: string) => z.union([z.literal(false), BoardPath]).default(path);

/** The files for people that the Coordinator writes into the repository itself; `false` switches one, or all, off. */
const BoardSettings = z.strictObject({
  queue: boardFile("tasks/work_queue.json").describe("The tasks of all runs, for programs."),
  hq: boardFile("PROJECT_HQ.md").describe("Where the project stands, for people."),
  sessions: boardFile("sessions").describe("The folder of handoffs: what the next session needs to know."),
});
export type BoardSettings = z.infer<typeof BoardSettings>;

/** An agent by its name, one of its models, or a model that is asked directly: `claude`, `claude/opus`, `model:ollama`. */
const AgentMark = text(1, 300).regex(/^(?:model:)?[a-z][a-z0-9_-]{0,63}(?:\/.+)?$/, {
  error: "must be AGENT, AGENT/MODEL or model:NAME",
});
const DataAgents = z.strictObject({
  local: z.array(AgentMark).max(100).default([]).describe("What they are shown stays on this machine."),
  confidential: z.array(AgentMark).max(100).default([]).describe("Accepted for confidential data."),
  restricted: z.array(AgentMark).max(100).default([]).describe("Accepted for restricted and confidential data."),
});
const DataPaths = z.strictObject({ confidential: Globs.default([]), restricted: Globs.default([]) });

const WorkerLabel = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "is a label: small letters, digits, dots, - and _, at most 63 of them");

const WorkerSettings = z.strictObject({
  accepts: z
    .array(Sensitivity)
    .max(4)
    .default([])
    .describe("Classes of data it is given beside public and internal: confidential, restricted."),
  labels: z.array(WorkerLabel).max(50).default([]).describe("Labels it has beside those of its command line."),
});

export const Configuration = z.strictObject({
  schema_version: z.literal("1.0.0").default("1.0.0"),
  project: text(1, 120).optional(),
  agents: z.record(ConfiguredName, AgentSettings).default({}),
  default_agent: ConfiguredName.optional().describe("Who plays a builder that nobody else is named for."),
  builders: z.partialRecord(TaskType, ConfiguredName).default({}).describe("Who plays which builder."),
  fallback_agents: z
    .array(ConfiguredName)
    .max(20)
    .default([])
    .describe("Who takes over, in this order, when an agent or its model is unavailable or limited."),
  resolver: ConfiguredName.optional().describe("Who resolves conflicts; the default agent when absent."),
  reviewer: ConfiguredName.optional().describe(
    "Who reviews what another agent wrote, when `run.coordinator_mode` or a doubt asks for a review; the resolver when absent.",
  ),
  models: z.record(ConfiguredName, ModelSettings).default({}).describe("Models that are asked directly."),
  model_prices: z
    .record(text(1, 200), ModelPrice)
    .default({})
    .describe("What models cost, by name: taken before the registry and the kept list of prices."),
  model_order: z
    .array(ConfiguredName)
    .min(1)
    .max(10)
    .default(["claude", "ollama"])
    .describe("Which models are asked: the first, and those after it when one before them fails."),
  product: ProductName.optional().describe("Who writes Intent Specs: an agent, or model:ID. Nobody when absent."),
  second_opinion: ProductName.optional().describe(
    "Who reads a request after the rules of safety: an agent, or model:ID. It can only make their decision stricter. Nobody when absent.",
  ),
  planner: PlannerName.default("template").describe(
    "Who makes a plan of words: template, which needs no model, an agent, or model:ID.",
  ),
  proposing: ProposingSettings.prefault({}),
  reviewers: z
    .record(text(1, 120), z.array(text(1, 200)).min(1).max(50))
    .default({})
    .describe(
      "Who holds a role, by git's user.name or user.email: `architecture: [Ada]` are those who may decide as " +
        "architecture_reviewer. A role that nobody holds can be used by nobody.",
    ),
  checks: z.array(Check).max(50).default([]),
  criteria: z
    .record(text(1, 80), text(1, 200))
    .default({})
    .describe(
      "Which check shows a gate of the project's type, such as `accessibility: a11y`. By name of the check when absent.",
    ),
  workspace: WorkspaceSettings.prefault({}),
  scope: ScopeSettings.prefault({}),
  run: RunPolicy.prefault({}),
  board: z
    .union([z.literal(false), BoardSettings])
    .optional()
    .describe(
      "Which files for people are written into the working tree; {} for all of them. Without this key a project that has " +
        "a contract has them in .coordinator/board, which git ignores.",
    ),
  record: RecordSettings.prefault({}),
  notify: NotifySettings.optional().describe(
    "Who is told when something waits on a person or a run ends. Only in your own settings, never in a project's.",
  ),
  variables: z
    .array(VariableName)
    .max(100)
    .default([])
    .describe(
      "Variables of your environment that MCP servers named by a project or its registry may be given. Only in your own " +
        "settings, never in a project's.",
    ),
  logins: z
    .array(text(1, 512))
    .max(100)
    .default([])
    .describe(
      "Logins of yours that agents are shown: presets, such as claude, or files below your home. Only in your own " +
        "settings, never in a project's.",
    ),
  data_agents: DataAgents.prefault({}).describe(
    "Which agents may be shown confidential or restricted data. Only in your own settings, never in a project's.",
  ),
  data_paths: DataPaths.prefault({}).describe(
    "Files whose content is confidential or restricted. Your own and the project's count together.",
  ),
  hosts: z
    .array(text(1, 255))
    .max(200)
    .default([])
    .describe(
      "Hosts of a project's scope.network that an agent with a login of yours may reach, too. Only in your own settings, " +
        "never in a project's.",
    ),
  code_host: CodeHostSettings.prefault({}).describe(
    "Where runs are published and issues are read, and who is who there. Only in your own settings, never in a project's.",
  ),
  worker: WorkerSettings.prefault({}).describe(
    "What workers on this machine may be given. Only in your own settings, never in a project's.",
  ),
  worker_labels: z
    .array(WorkerLabel)
    .max(20)
    .default([])
    .describe("Labels a worker on another machine must have to be given work of this project, such as java-21 or gpu."),
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
      home_mb: z
        .int()
        .min(16)
        .max(1_000_000)
        .default(1024)
        .describe("What the home of an attempt may hold, in megabytes: its agent is stopped when it holds more."),
    })
    .prefault({}),
});
export type Configuration = z.infer<typeof Configuration> & {
  /** Agents of the project that a person has not agreed to yet. Never in a file: anyone who reads the files adds it. */
  readonly awaiting_trust?: readonly string[];
  /** Agents whose settings are the project's and not the person's own. Never in a file: anyone who reads the files adds it. */
  readonly project_agents?: readonly string[];
};
