import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readFile } from "../../foundation/files/read-files.js";
import { findAgents } from "../../hands/agents/find-agents.js";
import { detectChecks, type DetectedCheck } from "../../hands/settings/detect-checks.js";
import {
  detectSetup,
  type InstallProposal,
  proposeInstall,
  type SuggestedSetup,
} from "../../hands/settings/detect-setup.js";
import { ownSettings } from "../../hands/settings/load-configuration.js";
import { listWaiting } from "../../hands/settings/trust/trust-status.js";
import { findTools } from "../../hands/settings/find-tools.js";
import { draftConfiguration } from "../../hands/settings/draft-configuration.js";
import { CONTRACT_FILE } from "../../hands/settings/contract/find-contract.js";
import { SHIPPED_CONTRACT } from "../../hands/settings/contract/load-contract.js";
import { programOf } from "../../hands/attempts/missing-programs.js";
import { gitIn } from "../../hands/facts/git.js";
import { AgentPreset } from "../../model/settings/agent-config.js";
import { checkoutAt } from "../../hands/workspace/checkout.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { Initialised } from "../setup-reports.js";
import { examine, interruptedReport, machineOf, outside, type DoctorArguments } from "../doctor/doctor.js";
import { currentUser } from "../decide/current-user.js";
import { recordLogins } from "../decide/agree.js";
import { agentsFor, describeAgents } from "./init-agents.js";
import { starterContext } from "./init-context.js";
import { clientsHere, offerRegistration } from "./register-mcp.js";
import { type InstallArguments, type Installed, installPackages } from "./install-packages.js";
import { filesOfWorkspaces, ignoredLockfiles } from "../project/project-files.js";
import type { Project } from "../project/project.js";
import { agreeTo } from "../project/trust.js";
import { tryDraft } from "./try-draft.js";
import { writeNew, writeWhole } from "../project/write-file.js";

export interface InitArguments {
  readonly project: Project;
  readonly agent: string | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Whether the files for people are to stand in the working tree. */
  readonly board: boolean;
  /** Said beforehand: it agrees to what the file says of logins, which nobody does by being silent. */
  readonly yes: boolean;
  /** Asks whether to write what is shown; null when nobody can be asked or has said yes beforehand. */
  readonly confirm: ((shown: string) => Promise<boolean>) | null;
  /** Whether packages that are missing may be installed outside of the sandbox, and who is asked. */
  readonly install: Pick<InstallArguments, "agreed" | "confirm">;
  /** Asks whether Coordinator is registered with the agents that were found; null when nobody can be asked: then it is not. */
  readonly registering: ((shown: string) => Promise<boolean>) | null;
  /** Whether setup and checks are run on HEAD. */
  readonly tries: boolean;
  readonly signal: AbortSignal;
  readonly doctor: Omit<DoctorArguments, "project" | "agent" | "tried" | "signal">;
}

const FILE = "coordinator.yaml";

/**
 * Look at a repository and write its first `coordinator.yaml`.
 *
 * Contract: writes that one file, and the starters of the contract and of the context registry where there are none, and
 * nothing else; what is there is replaced by order only, a contract and a registry never.
 */
export async function initialise(args: InitArguments): Promise<Finished> {
  const { cwd, environment } = args.project;
  const git = gitIn(cwd, environment);
  const checkout = await checkoutAt(cwd, environment["PATH"] ?? "");
  if (checkout.kind !== "checkout") throw checkout.error;
  const { top: root } = checkout;
  const chosen = AgentPreset.safeParse(args.agent);
  if (args.agent !== undefined && !chosen.success)
    return fail(EXIT.invalid, "USAGE", `There is no preset ${args.agent}`, {
      fix: `One of ${AgentPreset.options.join(", ")}; any other program is added under agents in ${FILE}.`,
    });
  const file = join(root, FILE);
  if (!args.force && !args.dryRun && (await isAnythingAt(file)))
    return fail(EXIT.invalid, "USAGE", `${file} is there already, and stays as it is`, {
      fix: "coordinator doctor says whether it works; coordinator init --force writes it anew.",
    });

  const files = filesOfWorkspaces(root, gitIn(root, environment));
  const machine = machineOf(environment);
  const place = { ...machine, root };
  const [found, detected, proposals] = await Promise.all([
    findAgents(machineOf(outside(environment, root))),
    detectChecks(files),
    proposeInstall(files, place),
  ]);
  const installed = await missingPackages(args, args.project.reopen(root), proposals);
  const setup = await detectSetup(files, place);
  const agents = agentsFor(found, chosen.data);
  const tools = findTools(programsOf(detected, setup), place);
  const install = installed.find(({ status }) => status !== "installed")?.proposal.command ?? null;
  const reviewer = currentUser(undefined, { cwd: root, environment });
  const drafted = { agents, checks: detected, setup, tools, reviewer, board: args.board };
  const { draft, tried } = await tryDraft(drafted, { ...args, project: args.project.reopen(root), install });
  if (args.signal.aborted) return interruptedReport();
  const text = draftConfiguration(draft);
  const seen = [
    { name: "repository", detail: root },
    { name: "branch", detail: (await defaultBranch(git)) ?? "none yet" },
    { name: "checks", detail: draft.checks.map(({ check }) => check.name).join(", ") || "none found" },
    { name: "setup", detail: setup === null ? "no lockfile with packages" : `${setup.run} (${setup.because})` },
    ...(await ignoredLockfiles(root, gitIn(root, environment))).map((name) => ({
      name: "lockfile",
      detail: `${name} is there, but git ignores it: workspaces are made from commits and never have it. To use it, take it out of .gitignore and commit it.`,
    })),
    ...installed.map(({ detail }) => ({ name: "packages", detail })),
    { name: "tools", detail: tools.map(({ folder }) => folder).join(", ") || "those every sandbox shows" },
    { name: "agents", detail: describeAgents(found, agents) },
    { name: "decisions", detail: (await decisionsIn(root)) ?? "no folder of ADRs" },
    { name: "reviewers", detail: `${reviewer}, until others are named` },
  ];
  const status = await write(file, text, args);
  if (status === "written") await agreeToWritten(args.project.reopen(root));
  const logins = agents.filter(({ login }) => login === true).map(({ name }) => name);
  if (logins.length > 0) seen.push({ name: "logins", detail: await agreedLogins(logins, status, args) });
  const contract = status === "written" ? await starterContract(root) : null;
  const context = status === "written" ? await starterContext(root) : null;
  if (status === "written") seen.push({ name: "mcp", detail: await offerMcp(root, agents, args) });
  const { report } = await examine({
    ...args.doctor,
    project: args.project.reopen(root),
    tried: tried ?? false,
    signal: args.signal,
  });
  const examined = report.type === "doctor" ? report : null;
  const result: Initialised = {
    type: "init",
    file,
    text,
    status,
    contract,
    context,
    seen,
    ready: examined?.ready ?? false,
    checks: examined?.checks ?? [],
    tried: examined?.tried ?? NOT_TRIED,
    next: status === "written" ? nextSteps(agents.length > 0 && examined?.ready === true) : [],
  };
  return finish(EXIT.done, result);
}

const NOT_TRIED = { commit: null, not_tried: { reason: "the project could not be examined", fix: null }, lines: [] };

/** Agents that people talk to can hand work over, once somebody has agreed to the change of their settings. */
async function offerMcp(
  root: string,
  agents: readonly { readonly name: string }[],
  { project, registering: confirm }: InitArguments,
): Promise<string> {
  const at = project.reopen(root).at;
  const found = await clientsHere(
    at.root,
    agents.map(({ name }) => name),
  );
  if (confirm === null || found.length === 0)
    return `coordinator init --mcp ${found.join(" ") || "NAME"} lets an agent that you talk to hand work over`;
  const { environment } = project;
  return offerRegistration(found, { at, environment, dryRun: false, confirm });
}

/** Installs packages that are missing, outside of the sandbox, when a person agrees; a dry run only lists them. */
async function missingPackages(
  { install, dryRun, doctor, signal }: InitArguments,
  project: Project,
  proposals: readonly InstallProposal[],
): Promise<Installed[]> {
  const { progress = () => undefined } = doctor;
  const consent = dryRun ? { agreed: false, confirm: null } : install;
  return installPackages(proposals, { project, ...consent, progress, signal });
}

async function write(
  file: string,
  text: string,
  { dryRun, confirm, force }: InitArguments,
): Promise<Initialised["status"]> {
  if (dryRun) return "drafted";
  if (confirm !== null && !(await confirm(text))) return "declined";
  if (force) await writeWhole(file, text);
  else if (!(await writeNew(file, text))) return "declined";
  return "written";
}

/**
 * Agrees to the settings just written: they are the person's choice. Other requests of the project,
 * in its governance folder, was there before and waits for them.
 */
async function agreeToWritten(project: Project): Promise<void> {
  const { trust } = await project.settings();
  const written = listWaiting(trust).filter(({ kind }) => kind !== "server" && kind !== "policy_host");
  if (written.length > 0) await agreeTo(trust, written, project.environment, project.now());
}

/** Anyone who has the file written, by a word or beforehand, agrees to what it says of their logins. */
async function agreedLogins(
  logins: readonly string[],
  status: Initialised["status"],
  { yes, confirm, project: { environment: env } }: InitArguments,
): Promise<string> {
  const names = logins.join(", ");
  if (status === "written" && (yes || confirm !== null))
    return `${names}: agreed, in ${await recordLogins(logins, env)}`;
  return `${names}: agents are shown them when you agree, in ${ownSettings(env)}: logins: [${names}]`;
}

/** The shipped contract, for the project to make its own. Null when it has one already. */
async function starterContract(root: string): Promise<string | null> {
  const file = join(root, CONTRACT_FILE);
  return (await writeNew(file, await readFile(SHIPPED_CONTRACT, "utf8"))) ? file : null;
}

function nextSteps(ready: boolean): string[] {
  return [...(ready ? [] : ["coordinator doctor"]), 'coordinator run "what you want"'];
}

/** Lists the programs that the commands of a project call. */
function programsOf(checks: readonly DetectedCheck[], setup: SuggestedSetup | null): string[] {
  return [...checks.flatMap(({ check }) => programOf(check.run)), ...(setup?.programs ?? [])];
}

/** Finds the main branch of the remote; without one, the branch that is checked out. */
async function defaultBranch(git: ReturnType<typeof gitIn>): Promise<string | null> {
  const remote = (await git("symbolic-ref", "--short", "refs/remotes/origin/HEAD"))?.trim().replace(/^origin\//, "");
  return remote ?? (await git("symbolic-ref", "--short", "HEAD"))?.trim() ?? null;
}

/** The folders that the guardrail `protect_decisions` keeps. */
const DECISIONS = ["docs/adr", "docs/adrs", "doc/adr", "adr", "docs/decisions", "docs/architecture/decisions"];

async function decisionsIn(root: string): Promise<string | null> {
  for (const folder of DECISIONS)
    if ((await lstat(join(root, folder)).catch(() => null))?.isDirectory() === true)
      return `${folder}: agents may add to it and change nothing in it`;
  return null;
}

async function isAnythingAt(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null)) !== null;
}
