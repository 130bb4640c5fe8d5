import type { AgentEnding, AgentEvent } from "../agents/agent.js";
import type { AttemptOutcome } from "../../model/run.js";
import type { OpenSandbox } from "../sandbox/open-sandbox.js";
import { WORKSPACE_LIMITS } from "../workspace/limits.js";
import { type SizeLimit, watchSize } from "../workspace/watch/watch-size.js";
import { watchScope, type WatchedSite } from "../workspace/watch/watch-scope.js";

/*
 * An agent tells what it does, and a shell it starts does not. So what reaches the disk is watched too, and a write
 * outside of the scope ends the attempt while the agent still works. The gate over the result looks at everything again.
 */
export async function watchAttempt(
  site: WatchedSite,
  { write, ignore }: { readonly write: readonly string[]; readonly ignore: readonly string[] },
  sandbox: OpenSandbox,
  attempt: () => Promise<AgentEnding>,
  tell: (event: AgentEvent) => void,
  sizes: readonly SizeLimit[],
): Promise<AgentEnding> {
  let violation: AttemptOutcome | null = null;
  const size = watchSize(sizes, WORKSPACE_LIMITS.freeBytes, ({ what, message }) => {
    sandbox.kill();
    violation ??=
      what === "disk"
        ? { kind: "environment", message: `the attempt was stopped: ${message}` }
        : { kind: "resource", what: "files", message: `The attempt was stopped: ${message}.` };
  });
  const watch = await watchScope(site, write, ignore, (path) => {
    sandbox.kill();
    const reason = "It was written while the agent worked, and no pattern of the write scope matches it.";
    violation = { kind: "semantic", violation: "scope", message: `edit ${path}: ${reason} (scope_write)` };
    tell({
      type: "tool",
      use: {
        tool_call_id: `disk:${path}`,
        stage: "deed",
        kind: "edit",
        title: `seen on disk: ${path}`,
        paths: [{ path, access: "write" }],
        command: null,
        hosts: [],
      },
      status: "completed",
      judgement: { decision: "violation", rule_id: "scope_write", reason },
    });
  });
  try {
    await watch.ready;
    const ending = await attempt();
    return { ...ending, outcome: stricter(ending.outcome, violation) };
  } finally {
    await watch.stop();
    await size.stop();
  }
}

/** The first observation explains why the agent is gone; an effect of the safety class weighs more. */
function stricter(outcome: AttemptOutcome, violation: AttemptOutcome | null): AttemptOutcome {
  return violation === null || outcome.kind === "safety" ? outcome : violation;
}
