import { onPath } from "../../hands/settings/find-tools.js";
import { findMissingPrograms } from "../../hands/attempts/missing-programs.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { Examination } from "../setup-reports.js";

/** Where checks are not run: whether their programs are at least there inside, where a toolchain of a home is not seen. */
export async function examinePrograms(configuration: Configuration, env: NodeJS.ProcessEnv): Promise<Examination[]> {
  const { checks } = configuration;
  if (checks.length === 0) return [];
  const { missing, problem } = await findMissingPrograms(configuration, env);
  const say = (status: Examination["status"], detail: string, fix: string | null): Examination[] => [
    { name: "programs", status, detail, fix },
  ];
  if (problem !== null) return say("bad", problem.message, problem.fix ?? null);
  if (missing.length === 0)
    return say("good", `${checks.map(({ name }) => name).join(", ")}: their programs are in the sandbox`, null);
  const away = missing.filter((program) => onPath(program, env["PATH"] ?? "") === null);
  const hidden = missing.filter((program) => !away.includes(program));
  const fixes = [
    ...(away.length === 0
      ? []
      : [`Install ${away.join(", ")}, or take what needs it out of checks in coordinator.yaml.`]),
    ...(hidden.length === 0
      ? []
      : [
          `Name where ${hidden.join(", ")} is installed under workspace.tools in coordinator.yaml; coordinator init --dry-run finds it.`,
        ]),
  ];
  return say("bad", `not found inside the sandbox: ${missing.join(", ")}`, fixes.join(" "));
}
