import { CoordinatorError } from "../../model/errors.js";
import { TOKEN_VARIABLE } from "../../hands/hosts/find-token.js";
import type { CodeHostSettings } from "../../model/settings/code-host.js";
import { openHost, placeOfProject } from "../hosts/open-host.js";
import type { ProjectBase } from "../project/project.js";
import type { Examination } from "../setup-reports.js";

const NAME = "code host";

/**
 * Which login of the host of code is used, and which rights it lacks. Nothing for a project whose remote is at no host
 * that is known: it is only needed to publish.
 */
export async function examineCodeHost(
  { root, environment }: ProjectBase,
  settings: CodeHostSettings,
): Promise<Examination[]> {
  try {
    const place = await placeOfProject(root, settings, environment);
    const { host, source } = await openHost(place, settings, environment);
    const { login, id, scopes } = await host.readUser();
    const { wantedScopes } = host;
    const { mayPush } = await host.readRepository();
    const detail = `${place.server}/${place.repository} as ${login} (${host.kind}:${id}), token from ${source}`;
    const lacks = [
      ...(mayPush === false ? ["the right to push"] : []),
      ...(scopes !== null && wantedScopes.length > 0 && !scopes.some((scope) => wantedScopes.includes(scope))
        ? [`the scope ${wantedScopes[0] ?? ""}`]
        : []),
    ];
    if (lacks.length === 0) return [{ name: NAME, status: "good", detail, fix: null }];
    const fix = `Give this token ${lacks.join(" and ")}, or use another one: ${TOKEN_VARIABLE[host.kind]}.`;
    return [{ name: NAME, status: "weak", detail: `${detail}; it lacks ${lacks.join(" and ")}`, fix }];
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    if (error.code === "CODE_HOST_UNKNOWN") return [];
    return [{ name: NAME, status: "weak", detail: error.message, fix: error.fix ?? null }];
  }
}
