import { execFile } from "node:child_process";
import { OUTSIDE } from "../../hands/git/nothing-of-clone.js";
import type { ProjectFiles } from "../../hands/settings/detected-check.js";
import { findRequiredToolchains, type RequiredToolchain } from "../../hands/settings/required-toolchains.js";
import { isInRange } from "../../hands/settings/version-range.js";
import type { Examination, TriedLine } from "../setup-reports.js";

/**
 * Toolchains of this machine that are not what the project asks for. One that is too old is bad, unless everything was
 * tried and ran with it.
 *
 * Contract: programs are asked for their version only. A version that the project accepts is not reported.
 */
export async function examineToolchains(
  files: Pick<ProjectFiles, "read">,
  path: string,
  tried: readonly TriedLine[],
): Promise<Examination[]> {
  const required = await findRequiredToolchains(files);
  const found = await Promise.all(required.map((each) => examineOne(each, path)));
  const works = tried.length > 0 && tried.every(({ status }) => status !== "bad");
  return found.flatMap((each) => (each === null ? [] : [works ? { ...each, status: "weak" as const } : each]));
}

async function examineOne({ tool, ask, range, because }: RequiredToolchain, path: string): Promise<Examination | null> {
  const said = await versionOf(ask, path);
  if (said === null)
    return {
      name: tool,
      status: "bad",
      detail: `not found, and ${because} asks for ${range}`,
      fix: `Install ${tool} ${range}.`,
    };
  if (isInRange(said, range) !== false) return null;
  return {
    name: tool,
    status: "bad",
    detail: `${said} is here, and ${because} asks for ${range}`,
    fix: `Install ${tool} ${range}, put it first on the PATH, and name its folder under workspace.tools when it is not below /usr.`,
  };
}

function versionOf([program, ...args]: readonly [string, ...string[]], path: string): Promise<string | null> {
  return new Promise((done) => {
    // Version managers read the folder they are started in: a clone would choose the program that runs.
    execFile(program, args, { cwd: OUTSIDE, env: { PATH: path }, timeout: 10_000 }, (error, stdout, stderr) => {
      done(error === null ? (/\d+\.\d+(?:\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? null) : null);
    });
  });
}
