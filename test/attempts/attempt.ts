import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentEvent } from "../../src/hands/agents/agent.js";
import { scripted } from "../../src/hands/agents/presets/scripted.js";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import { attemptBody } from "../../src/hands/attempts/attempt-body.js";
import { agentEventIn, AttemptOrder, AttemptResult } from "../../src/hands/attempts/attempt-order.js";
import { sampleRepository, type SampleRepository } from "../../src/testing/sample-repository.js";

/* One whole attempt as a shim makes it: a real workspace, a real sandbox, the gates, with an agent that follows a script. */

export interface Attempted {
  readonly result: AttemptResult;
  readonly events: readonly AgentEvent[];
  readonly repository: SampleRepository;
  /** A file of what was taken over, or of what was salvaged; null when it is not there. */
  readonly file: (path: string) => string | null;
}

export interface AttemptParts {
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly write?: readonly string[];
  readonly order?: Readonly<Record<string, unknown>>;
  readonly agent?: Readonly<Record<string, unknown>>;
  readonly scope?: Readonly<Record<string, unknown>>;
  readonly onEvent?: (event: AgentEvent) => void;
}

const PLENTY = { tokens: 1e9, cost_usd: 1e6, minutes: 60, files: 1e6, commits: 100, api_calls: 1e6 };

export async function attemptOnce(parts: AttemptParts): Promise<Attempted> {
  const repository = sampleRepository({ "README.md": "read me\n", "src/a.txt": "a\n", ...parts.files });
  onTestFinished(repository.remove);
  const events: AgentEvent[] = [];
  const order = AttemptOrder.parse({
    repository: repository.path,
    state_directory: join(repository.folder, "state"),
    name: { runId: "run_of_one", taskId: "task", attemptId: "1" },
    base: repository.git("rev-parse", "HEAD"),
    hidden: [],
    agent: {
      name: "scripted",
      settings: { preset: "scripted", command: [...scripted.command], ...parts.agent },
    },
    prompt: `Do it.\n\n\`\`\`script\n${JSON.stringify(parts.steps)}\n\`\`\`\n`,
    context: [],
    scope: {
      tools: ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"],
      commands: ["*"],
      read: ["**"],
      write: [...(parts.write ?? ["src/**"])],
      network: [],
      minutes: 5,
      output_bytes: 10_000_000,
      files: 1000,
      ...parts.scope,
    },
    budget: PLENTY,
    message: "A change\n",
    guardrails: [],
    overrides: [],
    env: {},
    setup_cache: join(repository.folder, "cache"),
    sandbox: {},
    unsafe_no_sandbox: false,
    cage_records: join(repository.folder, "cages"),
    clock_offset_ms: 0,
    ...parts.order,
  });
  const result = AttemptResult.parse(
    await attemptBody(order, {
      folder: join(repository.folder, "instance"),
      signal: new AbortController().signal,
      note: (note) => {
        const event = agentEventIn(note);
        if (event === null) return;
        events.push(event);
        parts.onEvent?.(event);
      },
    }),
  );
  const at = result.ref ?? result.salvage;
  const file = (path: string) => {
    if (at === null) return null;
    const there = repository.git("ls-tree", "-r", "--name-only", at, "--", path);
    return there === "" ? null : repository.git("show", `${at}:${path}`);
  };
  return { result, events, repository, file };
}
