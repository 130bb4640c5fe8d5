import { dirname } from "node:path";
import type { AgentEvent, AgentEnding } from "../agents/agent.js";
import { createAgent } from "../agents/create-agent.js";
import type { DiffDecision } from "../model/diff-gate.js";
import type { AttemptOutcome } from "../model/run.js";
import type { Refusal, SandboxGrade, ScopeAddition } from "../model/scope.js";
import { type CompiledGuardrails, compileGuardrails } from "../scope/compile-guardrails.js";
import { diffGate } from "../scope/diff-gate.js";
import { compileScope } from "../scope/judge.js";
import { withListedPrograms } from "../scope/scope-of.js";
import { type JudgedUse, openOnes, weighRefusals } from "../scope/refusals.js";
import { parseUnifiedDiff } from "../scope/unified-diff.js";
import { SlowIgnoreFiles } from "../workspace/ignored.js";
import type { ChangeSet, ImportOutcome } from "../workspace/import.js";
import { removeInside, removeTree } from "../workspace/path-safety.js";
import type { SizeLimit } from "../workspace/watch-size.js";
import { openQuarantine, type Quarantine } from "../workspace/quarantine.js";
import { sandboxReport } from "../workspace/sandbox/grade.js";
import type { Limits } from "../workspace/sandbox/options.js";
import type { Workspace } from "../workspace/open-workspace.js";
import { createWorkspaces } from "../workspace/workspace.js";
import { workspacesRoot } from "../workspace/workspaces-root.js";
import { observing } from "../verify/observe.js";
import { limitsIn, openAgentCage } from "./agent-cage.js";
import { pathOutside } from "./agent-program.js";
import { counted, keyRefused, neverBegun, notBegun, notReady, setupFailed, whatToMend } from "./attempt-endings.js";
import { added } from "../run/state.js";
import { AttemptOrder, type AttemptNote, type AttemptResult } from "./attempt-order.js";
import { activityFolder, tellActivity } from "./activity.js";
import { claimedEdits, type ClaimedEdits } from "./claimed-edits.js";
import { copyHome, withEarlierWork } from "./go-on-with.js";
import { homeIn } from "./homes.js";
import { activated } from "./setup/activate.js";
import { cachesBeside, readerIn } from "./setup/environment.js";
import { restoreSetup } from "./setup/kept.js";
import { runSetup } from "./setup/run-setup.js";
import type { ShimBody, ShimContext } from "./shim/run-shim.js";
import { underWatch } from "./under-watch.js";
import { type MessageNotes, wholeMessages } from "./whole-messages.js";

/*
 * One attempt, from an empty folder to a commit: a workspace of its own, an agent in a cage, everything it does judged,
 * and what it leaves taken over only through the gates. It runs in a shim, so it lives on when the Coordinator dies.
 */
export const attemptBody: ShimBody = async (input, shim) => {
  const order = AttemptOrder.parse(input);
  const said = wholeMessages(shim.note);
  const context: AttemptContext = { ...shim, note: said.note };
  const place = await makePlace(order, context).catch((error: unknown) => {
    // Stopped by order, it ends as one that was stopped.
    if (context.signal.aborted) throw error;
    return neverBegun(order, notReady(error));
  });
  if (!("workspaces" in place)) return place;
  try {
    return await inWorkspace(order, place.quarantine, place.workspace, context);
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

/** Contract: when it throws, no agent was started and nothing was used. */
async function makePlace(order: AttemptOrder, context: AttemptContext) {
  const quarantine = await openQuarantine({
    repository: order.repository,
    environment: process.env,
    ...(order.state_directory === undefined ? {} : { stateDirectory: order.state_directory }),
  });
  const root = await workspacesRoot(quarantine, order.workspaces, process.env);
  const workspaces = await createWorkspaces({ quarantine, root, now: () => new Date().toISOString() });
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
  quarantine: Quarantine,
  workspace: Workspace,
  context: AttemptContext,
): Promise<AttemptResult> {
  const guardrails = compileGuardrails(order.guardrails);
  const claims = claimedEdits();
  const uses: JudgedUse[] = [];
  const hear = (event: AgentEvent) => {
    if (event.type === "tool") uses.push(event);
    heard(event, context, claims);
  };
  const { ending, grade } = await work(
    await withEarlierWork(order, quarantine, workspace.path),
    quarantine,
    workspace,
    guardrails,
    context,
    hear,
  );
  const weigh = (changes: AttemptResult["changes"]) =>
    weighRefusals(uses, { changed: changes.map(({ path }) => path), checks: order.checks, said: ending.output });
  tell(context, { type: "stage", stage: "import" });
  const taken = await takeOver(order, quarantine, workspace, guardrails, ending, weigh([])).catch(notTakenOver);
  const place = { quarantine, base: order.base, workspace: workspace.path };
  const unmade = taken.outcome.kind === "completed" ? await claims.neverMade(taken.changes, place) : [];
  // What setup made can be made again; it is nobody's work and would only swell what is salvaged.
  for (const path of order.setup?.keeps ?? []) await removeInside(workspace.path, path);
  const removal = await workspace.remove();
  const home = await keptHome(order, ending, context);
  for (const text of ending.notes ?? []) tell(context, { type: "busy", text });
  // Stopped by order: its work is salvaged, and whoever asks again gets a new instance and not this ending.
  if (context.signal.aborted) throw new Error("the attempt was stopped");
  return {
    ...taken,
    // What it changed is seen, whatever the agent says of its tokens: one that hung changed nothing.
    usage: { ...ending.usage, counted: ending.accounting?.cost === "priced" ? ["files", "cost_usd"] : ["files"] },
    output: ending.output,
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
): Promise<{ ending: AgentEnding; grade: SandboxGrade }> {
  const place = {
    workspace: workspace.path,
    cache: order.setup_cache,
    readFile: readerIn(workspace.path),
    env: order.env,
  };
  await copyHome(order, homeOf(context));
  const restored = order.setup === undefined || (await restoreSetup(order.setup, place));
  const opened = await openAgentCage({
    name: order.agent.name,
    settings: { ...order.agent.settings, env: { ...order.env, ...order.agent.settings.env } },
    workspace: workspace.path,
    home: homeOf(context),
    limits: cageLimits(order),
    hosts: order.scope.network,
    innerHosts: order.inner_hosts,
    tools: order.tools,
    shown: order.setup?.mounts ?? [],
    caches: order.setup?.caches ?? [],
    cachesFolder: cachesBeside(workspace.path),
    records: order.cage_records,
    unsafeNoSandbox: order.unsafe_no_sandbox,
    environment: { ...process.env, PATH: pathOutside(process.env["PATH"] ?? "", order.repository) },
  }).catch(whatToMend);
  if ("kind" in opened) return { ending: notBegun(order, opened), grade: sandboxReport().grade };
  const { cage, settings } = opened;
  try {
    const { setup } = order;
    if (setup !== undefined) {
      const { runId, taskId, attemptId } = order.name;
      tell(context, { type: "stage", stage: "setup" });
      const watched = tellActivity(activityFolder(dirname(order.setup_cache), runId), {
        treeOf: () => "the agent's workspace",
        taskId,
      });
      const end = await observing(watched, () =>
        runSetup(setup, restored, cage, place, {
          signal: context.signal,
          name: `${runId}-${taskId}-${attemptId}`,
          tell: (text) => tell(context, { type: "busy", text }),
        }),
      );
      if (!end.ready) return { ending: notBegun(order, setupFailed(end)), grade: cage.grade };
    }
    const made = order.setup === undefined ? [] : await workspace.settle(laid);
    const active = order.setup === undefined ? {} : await activated(workspace.path, cage);
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
        cage,
        // Those of its configuration it has already.
        mcp_servers: [],
        signal: context.signal,
        judge: compileScope(cage.grade === "none" ? withListedPrograms(order.scope) : order.scope, guardrails),
        onEvent: hear,
        ...(order.output_schema === undefined ? {} : { output_schema: order.output_schema }),
      });
    const site = { quarantine, path: workspace.path, viewCommit: workspace.viewCommit };
    const watched = { write: order.scope.write, ignore: [...(order.setup?.keeps ?? []), ...made] };
    const ending = await underWatch(
      site,
      watched,
      cage,
      attempt,
      (event) => tell(context, { type: "agent", event }),
      sizeLimits(order, workspace.path, homeOf(context)),
    );
    return { ending: counted(keyRefused(ending, order, cage), cage), grade: cage.grade };
  } finally {
    await cage.close();
  }
}

function heard(event: AgentEvent, context: AttemptContext, claims: ClaimedEdits): void {
  claims.heard(event);
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

/** What of the home is kept: all of it where another attempt may go on in its session, else nothing. */
async function keptHome(order: AttemptOrder, ending: AgentEnding, context: AttemptContext): Promise<string | null> {
  const isTask = order.output_schema === undefined;
  const isTooLarge = ending.outcome.kind === "resource" && ending.outcome.what === "files";
  if (isTask && ending.session_id !== null && !isTooLarge && !context.signal.aborted) return homeOf(context);
  await removeTree(homeOf(context));
  return null;
}

function cageLimits({ scope, sandbox }: AttemptOrder): Partial<Limits> {
  return {
    ...limitsIn(sandbox),
    minutes: Math.max(1, scope.minutes),
    outputBytes: Math.max(1024 * 1024, scope.output_bytes),
  };
}

// ----------------------------------------------------------------------------------------------------------- the result

type Taken = Pick<AttemptResult, "outcome" | "commit" | "ref" | "changes" | "gate" | "notices">;

/** What the agent left, through the gates. Only a completed attempt is taken over; all other work is salvaged. */
async function takeOver(
  order: AttemptOrder,
  quarantine: Quarantine,
  workspace: Workspace,
  guardrails: CompiledGuardrails,
  ending: AgentEnding,
  refusals: readonly Refusal[],
): Promise<Taken> {
  const { outcome } = ending;
  const nothing = { commit: null, ref: null, changes: [], gate: null, notices: [] };
  if (outcome.kind !== "completed") return { ...nothing, outcome };
  const imported = await workspace.import({ write: order.scope.write, message: order.message, ...byAuthor(order) });
  const notices = imported.notices.map(({ gate, path, detail }) => `${gate} ${path}: ${detail}`);
  if (imported.status === "unchanged") {
    const request = missingFor(refusals);
    const done: AttemptOutcome = { kind: "completed", output_ref: order.base };
    // It was refused what it needed and did nothing: a person may add it. Otherwise the verdict decides on what it did,
    // and whoever was asked for an answer and gave it has done all there was to do.
    const isDone = request === null || ending.structured !== undefined;
    return { ...nothing, outcome: isDone ? done : wider(request), notices };
  }
  if (imported.status === "refused")
    return { ...nothing, outcome: refused(imported), changes: filesOf(imported.changes), notices };
  const gate = await judgeChanges(order, quarantine, guardrails, imported.changes);
  const taken = { commit: imported.commit, ref: imported.ref, changes: filesOf(imported.changes), gate, notices };
  return { ...taken, outcome: afterGate(gate) ?? { kind: "completed", output_ref: imported.commit } };
}

/** Ignore files that take too long are what they are: another attempt would wait as long, and no agent has failed. */
function notTakenOver(error: unknown): Taken {
  if (!(error instanceof SlowIgnoreFiles)) throw error;
  return { outcome: tooSlow(error), commit: null, ref: null, changes: [], gate: null, notices: [] };
}

function tooSlow({ message, fix = "" }: SlowIgnoreFiles): AttemptOutcome {
  return { kind: "environment", message: `${message}. ${fix}`.trim() };
}

/** What would have to be added so that nothing is refused that the work may depend on; null when nothing would help. */
function missingFor(refusals: readonly Refusal[]): ScopeAddition | null {
  const additions = openOnes(refusals).flatMap(({ addition }) => (addition === undefined ? [] : [addition]));
  return additions.length === 0 ? null : additions.reduce(added);
}

function wider(request: ScopeAddition): AttemptOutcome {
  const wanted = [...request.write, ...request.commands, ...request.network];
  return { kind: "scope_request", request, message: wanted.slice(0, 5).join(", ") };
}

function filesOf(changes: ChangeSet | null): AttemptResult["changes"] {
  return changes === null ? [] : [...changes.files];
}

async function judgeChanges(
  order: AttemptOrder,
  quarantine: Quarantine,
  guardrails: CompiledGuardrails,
  { base, tree, files }: ChangeSet,
): Promise<DiffDecision> {
  const diff = await quarantine.git.must("Reading the change", {
    gitDir: quarantine.gitDir,
    args: ["diff-tree", "-r", "-p", "-U0", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", base, tree],
  });
  const lines = parseUnifiedDiff(diff.toString("utf8")).files;
  return diffGate({ scope: order.scope, guardrails, changes: files, lines, overrides: order.overrides });
}

/** What a gate over the whole result makes of an attempt that called itself done; null when it may stand. */
function afterGate({ verdict, findings }: DiffDecision): AttemptOutcome | null {
  const open = findings.filter(({ lifted }) => lifted === undefined);
  // Leaving the scope is graver than contradicting a document.
  const outside = open.find(({ severity, document }) => GRAVE.has(severity) && document === undefined);
  const worst =
    verdict === "violation"
      ? (outside ?? open.find(({ severity }) => GRAVE.has(severity)))
      : (open.find(({ severity }) => severity === verdict) ?? open[0]);
  const { document } = worst ?? {};
  const where = document === undefined ? "" : `${document}, `;
  const message = worst === undefined ? verdict : `${where}${worst.rule_id}: ${worst.path}: ${worst.reason}`;
  if (verdict === "safety") return { kind: "safety", message };
  if (verdict === "violation")
    return { kind: "semantic", violation: document === undefined ? "scope" : "rule", message };
  return verdict === "resource" ? { kind: "resource", what: "files", message } : null;
}

const GRAVE: ReadonlySet<string> = new Set(["violation", "frozen"]);
const TOO_MUCH = new Set(["too_many", "too_large", "too_deep"]);
const UNREADABLE = new Set(["unreadable", "timeout", "objects"]);

function refused({ findings }: Extract<ImportOutcome, { status: "refused" }>): AttemptOutcome {
  const [first] = findings;
  const message = findings
    .slice(0, 5)
    .map(({ gate, path, detail }) => `${gate} ${path}: ${detail}`)
    .join("; ");
  if (first !== undefined && TOO_MUCH.has(first.gate)) return { kind: "resource", what: "files", message };
  if (first !== undefined && UNREADABLE.has(first.gate))
    return { kind: "structural", error: "malformed_output", message };
  return { kind: "semantic", violation: "scope", message };
}

const byAuthor = ({ author }: Pick<AttemptOrder, "author">) => (author === undefined ? {} : { author });
