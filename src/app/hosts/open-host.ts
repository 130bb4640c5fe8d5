import type { CodeHost } from "../../hands/hosts/code-host.js";
import { type HostPlace, placeOfRemote } from "../../hands/hosts/addresses.js";
import { findToken } from "../../hands/hosts/find-token.js";
import { createGitHub, GITHUB_HEADERS } from "../../hands/hosts/github.js";
import { createHttp } from "../../hands/hosts/host-http.js";
import { usersGit } from "../../hands/git/users-git.js";
import { registerSecrets } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CodeHostSettings } from "../../model/settings/code-host.js";
import { systemClock } from "../run/machine.js";

export interface OpenedHost {
  readonly host: CodeHost;
  /** Where its token was found, for people. */
  readonly source: string;
}

const GITHUB = { kind: "github", api: "https://api.github.com", pause_ms: 1000, token_env: undefined } as const;

/** How a server is spoken to. Contract: throws CODE_HOST_UNKNOWN for one that the person's settings do not name. */
export function serverOf(server: string, { servers }: CodeHostSettings): CodeHostSettings["servers"][string] {
  const named = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (named !== undefined) return named;
  if (server === "github.com") return GITHUB;
  throw new CoordinatorError("CODE_HOST_UNKNOWN", `${server} is not a code host that your settings name`, {
    fix:
      `If it speaks GitHub's API, add to your own settings: code_host: { servers: { "${server}": ` +
      `{ api: "https://${server}/api/v3" } } }. Other hosts are not supported.`,
  });
}

/** Contract: throws CODE_HOST_UNKNOWN, and CODE_HOST_LOGIN_MISSING where nobody is logged in. Nothing is asked of the host. */
export async function openHost(
  { server, repository }: HostPlace,
  settings: CodeHostSettings,
  environment: NodeJS.ProcessEnv,
): Promise<OpenedHost> {
  const { api, pause_ms, token_env } = serverOf(server, settings);
  const found = await findToken(server, token_env, environment);
  if (found === null)
    throw new CoordinatorError("CODE_HOST_LOGIN_MISSING", `There is no login for ${server}`, {
      fix: `Log in with gh auth login --hostname ${server}, or set COORDINATOR_GITHUB_TOKEN.`,
    });
  const { token, source } = found;
  // From here on it is taken out of everything that is written or told.
  registerSecrets([[source, token]]);
  const http = createHttp({
    server,
    api,
    token,
    pauseMs: pause_ms,
    headers: GITHUB_HEADERS,
    now: () => Date.parse(systemClock.now()),
    wait: (ms) => systemClock.wait(ms, new AbortController().signal),
  });
  return { host: createGitHub(server, repository, http), source };
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
