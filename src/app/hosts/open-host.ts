import type { CodeHost } from "../../hands/hosts/code-host.js";
import { type HostPlace, placeOfRemote } from "../../hands/hosts/addresses.js";
import { findToken, TOKEN_VARIABLE } from "../../hands/hosts/find-token.js";
import { createGitea } from "../../hands/hosts/gitea.js";
import { createGitLab } from "../../hands/hosts/gitlab.js";
import { createGitHub, GITHUB_HEADERS } from "../../hands/hosts/github.js";
import { createHttp } from "../../hands/hosts/host-http.js";
import { usersGit } from "../../hands/git/users-git.js";
import { registerSecrets } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CodeHostSettings } from "../../model/settings/code-host.js";
import { systemClock } from "../run/machine.js";
import { openGate } from "./host-gate.js";

export interface OpenedHost {
  readonly host: CodeHost;
  /** Where its token was found, for people. */
  readonly source: string;
}

const JSON_ALONE = { accept: "application/json" } as const;
const usual = { pause_ms: 1000, token_env: undefined } as const;
const KNOWN: CodeHostSettings["servers"] = {
  "github.com": { kind: "github", api: "https://api.github.com", ...usual },
  "gitlab.com": { kind: "gitlab", api: "https://gitlab.com/api/v4", ...usual },
  "codeberg.org": { kind: "gitea", api: "https://codeberg.org/api/v1", ...usual },
};

/** How a server is spoken to. Contract: throws CODE_HOST_UNKNOWN for one that the person's settings do not name. */
export function serverOf(server: string, { servers }: CodeHostSettings): CodeHostSettings["servers"][string] {
  const all = { ...KNOWN, ...servers };
  const named = Object.hasOwn(all, server) ? all[server] : undefined;
  if (named !== undefined) return named;
  throw new CoordinatorError("CODE_HOST_UNKNOWN", `${server} is not a code host that your settings name`, {
    fix:
      `Add to your own settings: code_host: { servers: { "${server}": { kind: github, api: "https://${server}/api/v3" } } }, ` +
      "with gitlab and /api/v4, or gitea and /api/v1, for those. Other hosts are not supported.",
  });
}

const CLIENTS = { github: createGitHub, gitlab: createGitLab, gitea: createGitea } as const;
const HEADERS = { github: GITHUB_HEADERS, gitlab: JSON_ALONE, gitea: JSON_ALONE } as const;
const PROGRAMS = { github: "gh auth login --hostname ", gitlab: "glab auth login --hostname ", gitea: null } as const;

/** Contract: throws CODE_HOST_UNKNOWN, and CODE_HOST_LOGIN_MISSING where nobody is logged in. Nothing is asked of the host. */
export async function openHost(
  { server, repository }: HostPlace,
  settings: CodeHostSettings,
  environment: NodeJS.ProcessEnv,
): Promise<OpenedHost> {
  const { kind, api, pause_ms, token_env } = serverOf(server, settings);
  const found = await findToken(server, token_env, environment, kind);
  const variable = TOKEN_VARIABLE[kind];
  const login = PROGRAMS[kind];
  if (found === null)
    throw new CoordinatorError("CODE_HOST_LOGIN_MISSING", `There is no login for ${server}`, {
      fix: login === null ? `Set ${variable}.` : `Log in with ${login}${server}, or set ${variable}.`,
    });
  const { token, source } = found;
  // From here on it is taken out of everything that is written or told.
  registerSecrets([[source, token]]);
  const wait = (ms: number) => systemClock.wait(ms, new AbortController().signal);
  const http = createHttp({
    server,
    api,
    token,
    pauseMs: pause_ms,
    headers: HEADERS[kind],
    variable,
    now: () => Date.parse(systemClock.now()),
    wait,
    gate: openGate(server, environment, { now: systemClock.now, wait }),
  });
  return { host: CLIENTS[kind](server, repository, http), source };
}

/** The repository that a remote of git leads to. Contract: throws CODE_HOST_UNKNOWN. */
export async function placeOfProject(
  root: string,
  { remote }: CodeHostSettings,
  environment: NodeJS.ProcessEnv,
): Promise<HostPlace> {
  const { code, stdout } = await usersGit(root, environment).run(["remote", "get-url", "--push", remote]);
  if (code !== 0)
    throw new CoordinatorError("CODE_HOST_UNKNOWN", `The repository has no remote ${remote}`, {
      fix: "Add one (git remote add origin ADDRESS), or name it in your own settings: code_host: { remote: NAME }.",
    });
  const place = placeOfRemote(stdout.trim());
  if (place !== null) return place;
  throw new CoordinatorError("CODE_HOST_UNKNOWN", `The remote ${remote} leads to no repository of a host of code`, {
    fix: "Its address must name a server, an owner and a repository: https://github.com/OWNER/NAME.git",
  });
}
