import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentEnding, AgentEvent, AttemptRequest } from "../hands/agents/agent.js";
import { AttemptOutcome, Usage } from "../model/run.js";
import type { Judgement, ToolUse } from "../model/scope.js";
import { createPlainSandbox, type PlainSandbox } from "./plain-sandbox.js";

/*
 * Demands on every agent, whatever program is behind it: end in a value, leave nothing running, stop when asked to,
 * stay within the reserved amounts. An agent under test says how it is made to write, to hang and to end badly.
 */

export const PLENTY = { tokens: 1e9, cost_usd: 1e6, minutes: 10, files: 1000, commits: 10, api_calls: 1e6 };
const SCOPE: AttemptRequest["scope"] = {
  tools: ["read", "edit", "delete", "move", "search", "execute", "think", "other"],
  commands: ["*"],
  read: ["**"],
  write: ["src/**"],
  network: [],
  minutes: 10,
  output_bytes: 50_000_000,
  files: 100,
};

const verdict = (decision: Judgement["decision"], reason: string): Judgement => ({
  decision,
  rule_id: "src_only",
  reason,
  ...(decision === "ask" ? { addition: { commands: [], write: ["docs/**"], network: [] } } : {}),
});

/** Everything below `src` may be written, what is below `docs` may be asked for, commands that say `forbidden` may not. */
function judgeSrcOnly(use: ToolUse): Judgement {
  const no = use.stage === "deed" ? "violation" : "deny";
  if (use.command?.includes("destroy") === true) return verdict("safety", "it destroys");
  if (use.command?.includes("forbidden") === true) return verdict(no, "it is forbidden");
  if (use.kind === "switch_mode" || use.hosts.length > 0) return verdict(no, "it is not allowed");
  const outside = use.paths.filter(({ path, access }) => access !== "read" && !path.startsWith("src/"));
  if (outside.length === 0) return verdict("allow", "it is in src");
  const asks = use.stage === "request" && outside.every(({ path }) => path.startsWith("docs/"));
  return verdict(asks ? "ask" : no, "it is not in src");
}

export interface AttemptSeen {
  readonly ending: AgentEnding;
  readonly events: readonly AgentEvent[];
  readonly uses: readonly ToolUse[];
  readonly sandbox: PlainSandbox;
}

/** One attempt in a sandbox of its own, which the caller closes. `during` sees each event as it comes. */
export async function attemptOnce(
  agent: Agent,
  request: Partial<AttemptRequest>,
  during: (event: AgentEvent, sandbox: PlainSandbox) => void = () => undefined,
): Promise<AttemptSeen> {
  const sandbox = (request.sandbox as PlainSandbox | undefined) ?? createPlainSandbox();
  const events: AgentEvent[] = [];
  const uses: ToolUse[] = [];
  const judge = request.judge ?? judgeSrcOnly;
  const ending = await agent.attempt({
    prompt: "",
    context: [],
    scope: SCOPE,
    budget: PLENTY,
    mcp_servers: [],
    signal: new AbortController().signal,
    ...request,
    sandbox,
    judge: (use) => {
      uses.push(use);
      return judge(use);
    },
    onEvent: (event) => {
      events.push(event);
      during(event, sandbox);
    },
  });
  // Whatever else a test looks at: an ending is one of the values, and nothing is left.
  AttemptOutcome.parse(ending.outcome);
  Usage.parse(ending.usage);
  assert.ok(ending.usage.amounts.tokens > 0, "tokens are never zero");
  assert.deepEqual(await survivors(sandbox), [], "something still runs");
  return { ending, events, uses, sandbox };
}

/** Lists processes that survive. The kernel takes a moment to remove killed ones; the others are still there after that. */
async function survivors(sandbox: PlainSandbox): Promise<number[]> {
  for (let waited = 0; waited < 2000 && sandbox.alive().length > 0; waited += 20)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return sandbox.alive();
}

/** The prompts that make the agent under test do something; null when it cannot. */
interface AgentUnderTest {
  readonly agent: Agent;
  readonly write: (path: string, text: string) => string;
  readonly hang: string;
  readonly crash: string | null;
  readonly daemon: string | null;
  readonly isRunning?: (event: AgentEvent) => boolean;
}

export interface AgentCase {
  readonly name: string;
  readonly run: (under: AgentUnderTest) => Promise<void>;
}

const closing = async (seen: AttemptSeen, check: () => void): Promise<void> => {
  try {
    check();
  } finally {
    await seen.sandbox.close();
  }
};

export const AGENT_CASES: readonly AgentCase[] = [
  {
    name: "does a task and says so",
    async run({ agent, write }) {
      const seen = await attemptOnce(agent, { prompt: write("src/a.txt", "hello") });
      await closing(seen, () => {
        assert.equal(seen.ending.outcome.kind, "completed", JSON.stringify(seen.ending.outcome));
        assert.equal(readFileSync(join(seen.sandbox.root, "src/a.txt"), "utf8"), "hello");
      });
    },
  },
  {
    name: "is cancelled by the signal, before and while it works",
    async run({ agent, hang, write, isRunning = ({ type }) => type === "session" }) {
      const gone = await attemptOnce(agent, { prompt: write("src/a.txt", "x"), signal: AbortSignal.abort() });
      await closing(gone, () => {
        assert.equal(gone.ending.outcome.kind, "cancelled");
        assert.equal(existsSync(join(gone.sandbox.root, "src/a.txt")), false);
      });
      const abort = new AbortController();
      const seen = await attemptOnce(agent, { prompt: hang, signal: abort.signal }, (event) => {
        if (isRunning(event)) setImmediate(() => abort.abort());
      });
      await closing(seen, () => assert.equal(seen.ending.outcome.kind, "cancelled"));
    },
  },
  {
    name: "stops when the time set aside for it is used up",
    async run({ agent, hang }) {
      const seen = await attemptOnce(agent, { prompt: hang, budget: { ...PLENTY, minutes: 1 / 60 } });
      await closing(seen, () =>
        assert.deepEqual({ ...seen.ending.outcome, message: "" }, { kind: "resource", what: "minutes", message: "" }),
      );
    },
  },
  {
    name: "tells a crash as a structural failure",
    async run({ agent, crash }) {
      if (crash === null) return;
      const seen = await attemptOnce(agent, { prompt: crash });
      await closing(seen, () => {
        const { outcome } = seen.ending;
        assert.equal(outcome.kind === "structural" && outcome.error, "crash", JSON.stringify(outcome));
      });
    },
  },
  {
    name: "leaves nothing running, not even what left its group and session",
    async run({ agent, daemon }) {
      if (daemon === null) return;
      const seen = await attemptOnce(agent, { prompt: daemon });
      await closing(seen, () => assert.equal(seen.ending.outcome.kind, "completed"));
    },
  },
];
