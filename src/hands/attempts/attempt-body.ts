import { dirname } from "node:path";
import type { AgentEvent, AgentEnding } from "../agents/agent.js";
import { createAgent } from "../agents/create-agent.js";
import type { SandboxGrade } from "../../model/scope.js";
import { type CompiledGuardrails, compileGuardrails } from "../../mind/scope/compile-guardrails.js";
import { compileScope } from "../../mind/scope/judge.js";
import { withListedPrograms } from "../../mind/scope/scope-of.js";
import { type JudgedUse, listOpenRefusals, weighRefusals } from "../../mind/scope/refusals.js";
import { withoutPromise } from "../../mind/scope/promise.js";
import { SlowIgnoreFiles } from "../workspace/ignored.js";
import { removeInside, removeTree } from "../workspace/path-safety.js";
import type { SizeLimit } from "../workspace/watch/watch-size.js";
import { openQuarantine, type Quarantine } from "../workspace/quarantine.js";
import { sandboxReport } from "../sandbox/grade.js";
import { giveAhead } from "../sandbox/owner.js";
import type { Limits } from "../sandbox/options.js";
import type { Workspace } from "../workspace/open-workspace.js";
import { createWorkspaces, type Workspaces } from "../workspace/workspace.js";
import { workspacesRoot } from "../workspace/workspaces-root.js";
import { withObserver } from "../checks/observe.js";
import { limitsIn, openAgentSandbox } from "./agent-sandbox.js";
import { pathOutside } from "./agent-program.js";
import {
  withCountedTokens,
  withKeyRefusal,
  neverBegun,
  notBegun,
  notReady,
  setupOutcome,
  setupProblem,
} from "./attempt-endings.js";
import { AttemptOrder, type AttemptNote, type AttemptResult, minutesOfChecks } from "./attempt-order.js";
import { activityFolder, reportActivity } from "../checks/on-trees/activity.js";
import { claimedEdits, type ClaimedEdits } from "./claimed-edits.js";
import { copyHome, withEarlierWork } from "./resume-attempt.js";
import { homeIn } from "./homes.js";
import { activationVariables } from "./setup/activate.js";
import { cachesBeside, readerIn } from "./setup/environment.js";
import { restoreSetup } from "./setup/kept.js";
import { runSetup } from "./setup/run-setup.js";
import type { ShimBody, ShimContext } from "./shim/run-shim.js";
import { type Iterations, createIterations } from "./iterate/iterations.js";
import { notTakenOver, takeOver, tooSlow } from "./take-over.js";
import { watchAttempt } from "./under-watch.js";
import { type MessageNotes, collectLines } from "./whole-messages.js";

/*
 * One attempt, from an empty folder to a commit: a workspace of its own, an agent in a sandbox, everything it does judged,
 * and what it leaves taken over only through the gates. It runs in a shim, so it lives on when the Coordinator dies.
 */
export const attemptBody: ShimBody = async (input, shim) => {
  const order = AttemptOrder.parse(input);
  const said = collectLines(shim.note);
  const context: AttemptContext = { ...shim, note: said.note };
  const place = await makePlace(order, context).catch((error: unknown) => {
    // Stopped by order, it ends as one that was stopped.
    if (context.signal.aborted) throw error;
    return neverBegun(order, notReady(error));
  });
  if (!("workspaces" in place)) return place;
  try {
    return await inWorkspace(order, place, context);
  } catch (error) {
    if (!(error instanceof SlowIgnoreFiles)) throw error;
    await place.workspace.remove();
    return neverBegun(order, tooSlow(error));
  } finally {
    said.end();
    await place.workspaces.close();
  }
};

/** A shim's, with notes that say what agents say by whole lines. */
type AttemptContext = Omit<ShimContext, "note"> & Pick<MessageNotes, "note">;

interface Place {
  readonly quarantine: Quarantine;
  readonly workspaces: Workspaces;
  readonly workspace: Workspace;
}

/** Contract: when it throws, no agent was started and nothing was used. */
async function makePlace(order: AttemptOrder, context: AttemptContext): Promise<Place> {
  const quarantine = await openQuarantine({
    repository: order.repository,
    environment: process.env,
    ...(order.state_directory === undefined ? {} : { stateDirectory: order.state_directory }),
  });
  const root = await workspacesRoot(quarantine, order.workspaces, process.env);
  const workspaces = await createWorkspaces({ quarantine, root, give: giveAhead, now: () => new Date().toISOString() });
  try {
    tell(context, { type: "stage", stage: "workspace" });
    const workspace = await workspaces.prepare({
      ...order.name,
      base: order.base,
      view: { read: order.scope.read, hidden: order.hidden, withheld: order.withheld },
    });
    return { quarantine, workspaces, workspace };
  } catch (error) {
    await workspaces.close();
    throw error;
  }
}

async function inWorkspace(
  order: AttemptOrder,
  { quarantine, workspaces, workspace }: Place,
  context: AttemptContext,
): Promise<AttemptResult> {
  const guardrails = compileGuardrails(order.guardrails);
  const claims = claimedEdits();
  const uses: JudgedUse[] = [];
  const hear = (event: AgentEvent) => {
    if (event.type === "tool") uses.push(event);
    passOn(event, context, claims);
  };
  const weighWith = (changes: AttemptResult["changes"], said: string) =>
    weighRefusals(uses, { changed: changes.map(({ path }) => path), checks: order.checks, said });
  const iterations = createIterations(order, {
    quarantine,
    workspaces,
    takeOver: (said) =>
      takeOver(order, quarantine, workspace, guardrails, { outcome: DONE }, weighWith([], said)).catch(notTakenOver),
    isRefused: (changes, said) => listOpenRefusals(weighWith(changes, said)).length > 0,
    note: context.note,
    signal: context.signal,
  });
  const { ending, grade } = await work(
    await withEarlierWork(order, quarantine, workspace.path),
    quarantine,
    workspace,
    guardrails,
    context,
    hear,
    iterations,
  );
  const weigh = (changes: AttemptResult["changes"]) => weighWith(changes, ending.output);
  tell(context, { type: "stage", stage: "import" });
  const taken = await takeOver(order, quarantine, workspace, guardrails, ending, weigh([])).catch(notTakenOver);
  const place = { quarantine, base: order.base, workspace: workspace.path };
  const unmade = taken.outcome.kind === "completed" ? await claims.neverMade(taken.changes, place) : [];
  // The files of setup can be made again; they are not the agent's work and would only swell what is salvaged.
  for (const path of order.setup?.keeps ?? []) await removeInside(workspace.path, path);
  const removal = await workspace.remove();
  const home = await keepHome(order, ending, context);
  for (const text of ending.notes ?? []) tell(context, { type: "busy", text });
  // Stopped by order: its work is salvaged, and the person who asks again gets a new instance and not this ending.
  if (context.signal.aborted) throw new Error("the attempt was stopped");
  return {
    ...taken,
    // Its changes are seen, whatever the agent says of its tokens: one that hung changed nothing.
    usage: { ...ending.usage, counted: ending.accounting?.cost === "priced" ? ["files", "cost_usd"] : ["files"] },
    output: order.loop === undefined ? ending.output : withoutPromise(ending.output, order.loop.promise),
    ...(iterations?.told() ?? { iterations: [] }),
    ...(ending.structured === undefined ? {} : { structured: ending.structured }),
    session_id: ending.session_id,
    home,
    grade,
    base: order.base,
    reported: claims.reported(),
    unmade,
    refusals: weigh(taken.changes),
    refused: (ending.rejected ?? []).map(
      ({ use, judgement }) => `${use.title}: ${judgement.reason} (${judgement.rule_id})`,
    ),
    salvage: removal.status === "removed" && removal.salvage.status === "saved" ? removal.salvage.ref : null,
  };
}

/** The agent at work. Contract: when it resolves nothing the agent started runs any more. */
async function work(
  { order, laid }: Awaited<ReturnType<typeof withEarlierWork>>,
  quarantine: Quarantine,
  workspace: Workspace,
  guardrails: CompiledGuardrails,
  context: AttemptContext,
  hear: (event: AgentEvent) => void,
  iterations: Iterations | null,
): Promise<{ ending: AgentEnding; grade: SandboxGrade }> {
  const place = {
    workspace: workspace.path,
    cache: order.setup_cache,
    readFile: readerIn(workspace.path),
    env: order.env,
  };
  await copyHome(order, homeOf(context));
  const restored = order.setup === undefined || (await restoreSetup(order.setup, place));
  const opened = await openAgentSandbox({
    name: order.agent.name,
    settings: { ...order.agent.settings, env: { ...order.env, ...order.agent.settings.env } },
    workspace: workspace.path,
    home: homeOf(context),
    limits: sandboxLimits(order),
    hosts: order.scope.network,
    innerHosts: order.inner_hosts,
    tools: order.tools,
    shown: order.setup?.mounts ?? [],
    caches: order.setup?.caches ?? [],
    cachesFolder: cachesBeside(workspace.path),
    records: order.cage_records,
    unsafeNoSandbox: order.unsafe_no_sandbox,
    environment: { ...process.env, PATH: pathOutside(process.env["PATH"] ?? "", order.repository) },
  }).catch(setupProblem);
  if ("kind" in opened) return { ending: notBegun(order, opened), grade: sandboxReport().grade };
  const { sandbox, settings } = opened;
  try {
    const { setup } = order;
    if (setup !== undefined) {
      const { runId, taskId, attemptId } = order.name;
      tell(context, { type: "stage", stage: "setup" });
      const watched = reportActivity(activityFolder(dirname(order.setup_cache), runId), {
        treeOf: () => "the agent's workspace",
        taskId,
      });
      const end = await withObserver(watched, () =>
        runSetup(setup, restored, sandbox, place, {
          signal: context.signal,
          name: `${runId}-${taskId}-${attemptId}`,
          tell: (text) => tell(context, { type: "busy", text }),
        }),
      );
      if (!end.ready) return { ending: notBegun(order, setupOutcome(end)), grade: sandbox.grade };
    }
    const made = order.setup === undefined ? [] : await workspace.settle(laid);
    const active = order.setup === undefined ? {} : await activationVariables(workspace.path, sandbox);
    const agent = createAgent(
      order.agent.name,
      { ...settings, env: { ...active, ...settings.env } },
      {
        ...(order.agent.price === undefined ? {} : { priceOf: () => order.agent.price }),
        runClock: () => Date.now() + order.clock_offset_ms,
      },
    );
    tell(context, { type: "stage", stage: "agent" });
    const attempt = () =>
      agent.attempt({
        prompt: order.prompt,
        context: order.context,
        scope: order.scope,
        budget: order.budget,
        ...(order.goes_on?.session_id == null ? {} : { session_id: order.goes_on.session_id }),
        sandbox,
        // It already has those of its configuration.
        mcp_servers: [],
        signal: context.signal,
        judge: compileScope(sandbox.grade === "none" ? withListedPrograms(order.scope) : order.scope, guardrails),
        onEvent: hear,
        ...(iterations === null ? {} : { next: iterations.next }),
        ...(order.output_schema === undefined ? {} : { output_schema: order.output_schema }),
      });
    const site = { quarantine, path: workspace.path, viewCommit: workspace.viewCommit };
    const watched = { write: order.scope.write, ignore: [...(order.setup?.keeps ?? []), ...made] };
    const ending = await watchAttempt(
      site,
      watched,
      sandbox,
      attempt,
      (event) => tell(context, { type: "agent", event }),
      sizeLimits(order, workspace.path, homeOf(context)),
    );
    return { ending: withCountedTokens(withKeyRefusal(ending, order, sandbox), sandbox), grade: sandbox.grade };
  } finally {
    await sandbox.close();
  }
}

const DONE = { kind: "completed", output_ref: "" } as const;

function passOn(event: AgentEvent, context: AttemptContext, claims: ClaimedEdits): void {
  claims.hear(event);
  tell(context, { type: "agent", event });
}

const homeOf = ({ folder }: Pick<AttemptContext, "folder">) => homeIn(folder);

function tell(context: AttemptContext, note: AttemptNote): void {
  context.note(note);
}

const MIB = 1024 ** 2;
/** Beyond what it was given: as much as a large set of packages, and far below what fills a disk. */
const MOST_ADDED = { bytes: 10_240 * MIB, files: 500_000 };
const MOST_HOME_FILES = 50_000;

function sizeLimits({ sandbox }: AttemptOrder, workspace: string, home: string): SizeLimit[] {
  return [
    { name: "the agent's home", path: home, bytes: sandbox.home_mb * MIB, files: MOST_HOME_FILES, added: false },
    { name: "the workspace", path: workspace, ...MOST_ADDED, added: true },
  ];
}

/** The part of the home that is kept: all of it where another attempt may go on in its session, else nothing. */
async function keepHome(order: AttemptOrder, ending: AgentEnding, context: AttemptContext): Promise<string | null> {
  const isTask = order.output_schema === undefined;
  const isTooLarge = ending.outcome.kind === "resource" && ending.outcome.what === "files";
  if (isTask && ending.session_id !== null && !isTooLarge && !context.signal.aborted) return homeOf(context);
  await removeTree(homeOf(context));
  return null;
}

/** The agent waits in its sandbox while its work is checked between two turns: that is not a time of its own. */
function sandboxLimits({ scope, sandbox, loop }: AttemptOrder): Partial<Limits> {
  return {
    ...limitsIn(sandbox),
    minutes: Math.max(1, scope.minutes + minutesOfChecks(loop)),
    outputBytes: Math.max(1024 * 1024, scope.output_bytes),
  };
}
