import { spawn } from "node:child_process";
import { join } from "node:path";
import type { ProjectBase } from "../project/project.js";
import type { InstallProposal } from "../../hands/settings/detect-setup.js";

/*
 * Packages that a project needs and this machine does not have yet. Inside the sandbox there is no network, so they are
 * installed outside of it, by the project's own package manager and only when a person agrees.
 */

export interface InstallArguments {
  readonly project: ProjectBase;
  /** Agreed beforehand. */
  readonly agreed: boolean;
  /** Asks for the commands that are shown; null when nobody can be asked. */
  readonly confirm: ((shown: string) => Promise<boolean>) | null;
  readonly progress: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface Installed {
  readonly proposal: InstallProposal;
  readonly status: "installed" | "offered" | "failed";
  readonly detail: string;
}

const MINUTES = 30;

/** Contract: runs nothing that nobody agreed to; each command as it was shown. */
export async function installPackages(
  proposals: readonly InstallProposal[],
  args: InstallArguments,
): Promise<Installed[]> {
  const possible = proposals.filter(({ missing }) => missing === undefined);
  const agreed = possible.length > 0 && (args.agreed || ((await args.confirm?.(renderProposals(possible))) ?? false));
  const done: Installed[] = [];
  for (const proposal of proposals) {
    const { because, command, missing, makes } = proposal;
    const offer = missing === undefined ? `coordinator init --install runs ${command}` : `install ${missing} first`;
    if (!agreed || missing !== undefined) done.push({ proposal, status: "offered", detail: `${because}; ${offer}` });
    else {
      args.progress(`${command}: runs outside of the sandbox`);
      const failure = await runOutside(proposal, args);
      done.push(
        failure === null
          ? { proposal, status: "installed", detail: `${command} made ${makes}` }
          : { proposal, status: "failed", detail: `${command}: ${failure}` },
      );
    }
  }
  return done;
}

function renderProposals(proposals: readonly InstallProposal[]): string {
  const lines = proposals.map(({ folder, command, because, makes }) => {
    const place = folder === "." ? "" : ` in ${folder}`;
    return `  ${because}.\n  $ ${command}${place}    # makes ${makes}`;
  });
  return [
    "Packages are missing. These commands would install them, outside of the sandbox and with the network:",
    ...lines,
    "They act on files of this repository with your rights. Say yes only if you would run its code yourself.",
  ].join("\n");
}

/** Why it failed; null when it did not. */
function runOutside(
  { folder, command }: InstallProposal,
  { project, progress, signal }: InstallArguments,
): Promise<string | null> {
  return new Promise((done) => {
    const child = spawn("sh", ["-c", command], {
      cwd: join(project.root, folder),
      env: project.environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let said = "";
    const hear = (piece: Buffer) => {
      const text = piece.toString("utf8");
      said = (said + text).slice(-4000);
      for (const line of text.split("\n")) if (line.trim() !== "") progress(`  ${line.trimEnd()}`);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const stop = () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    };
    const timer = setTimeout(stop, MINUTES * 60_000);
    signal.addEventListener("abort", stop, { once: true });
    const end = (why: string | null) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      done(why);
    };
    child.once("error", (error) => end(error.message));
    child.once("close", (code) => end(code === 0 ? null : `exit code ${code ?? "none"}: ${lastLine(said)}`));
  });
}

function lastLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => /\berr(?:or|!)/i.test(line)) ?? lines.at(-1) ?? "").trim().slice(0, 300);
}
