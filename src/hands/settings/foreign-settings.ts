import { Configuration } from "../../model/settings/configuration.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import { belongsTo, KNOWN_LOGINS, type KnownLogin } from "../../model/settings/known-logins.js";

/*
 * Settings that a project's own file must not have. People who clone a repository would otherwise run what its author wrote, or send
 * their keys and logins where its author wants them.
 */

type Settings = Configuration["agents"][string];

/** Contract: pure. The settings are those of one file, which are right in themselves. */
export function foreignSettings(settings: object, file: string, own: string): Diagnostic[] {
  const read = Configuration.safeParse(settings);
  if (!read.success) return [];
  const { agents, models } = read.data;
  const problem = (path: string, message: string): Diagnostic => ({
    code: "DOCUMENT_INVALID",
    path,
    message,
    fix: `Move it to ${own}`,
    file,
  });
  return [
    ...Object.keys(ONLY_YOURS)
      .filter((key) => Object.hasOwn(settings, key))
      .map((key) => problem(`/${key}`, ONLY_YOURS[key] as string)),
    ...Object.entries(agents).flatMap(([name, agent]) =>
      objections(agent).map(([at, message]) => problem(`/agents/${name}/${at}`, message)),
    ),
    ...Object.entries(models).flatMap(([name, { key_env, base_url }]) =>
      key_env === undefined || belongsTo(key_env, base_url)
        ? []
        : [problem(`/models/${name}/base_url`, goesWhere(key_env, base_url))],
    ),
  ];
}

const ONLY_YOURS: Readonly<Record<string, string>> = {
  notify: "is only read from your own settings: a repository must not choose what is started on your machine",
  variables: "is only read from your own settings: a repository must not choose which of your secrets are handed on",
  logins: "is only read from your own settings: a repository must not choose which of your logins are shown",
  data_agents: "is only read from your own settings: a repository must not choose who is shown confidential data",
  worker: "is only read from your own settings: a repository must not choose what your machine is given",
  code_host:
    "is only read from your own settings: a repository must not choose where your login goes and who may approve",
  hosts: "is only read from your own settings: a repository must not choose where your logins may go",
};

const goesWhere = (key: string, address: string) =>
  `sends the key in ${key} to ${address}, which a repository must not choose; your own settings may`;

function objections({ auth, preset }: Settings): [at: string, message: string][] {
  if (auth === undefined || auth.type === "none") return [];
  if (auth.type === "proxy")
    return belongsTo(auth.key_env, auth.upstream) ? [] : [["auth/upstream", goesWhere(auth.key_env, auth.upstream)]];
  const known: KnownLogin = KNOWN_LOGINS[preset ?? "scripted"];
  const files = auth.files.filter((path) => !known.files.includes(path));
  const hosts = auth.hosts.filter((host) => !known.hosts.includes(host));
  return [
    ...(files.length === 0
      ? []
      : [["auth/files", `shows ${files.join(", ")} of your home to an agent, which a repository must not choose`]]),
    ...(hosts.length === 0
      ? []
      : [["auth/hosts", `lets a login of yours go to ${hosts.join(", ")}, which a repository must not choose`]]),
  ] as [string, string][];
}

/** Selects the settings that a person agreed to: those they list, and those that their own agents need. */
export function pickAgreedSettings(settings: object): Pick<Configuration, "variables" | "logins" | "hosts"> {
  const read = Configuration.safeParse(settings);
  if (!read.success) return { variables: [], logins: [], hosts: [] };
  const { variables, logins, hosts, agents, scope } = read.data;
  const own = Object.values(agents);
  const given = own.flatMap(({ mcp_servers }) => mcp_servers.flatMap(({ env }) => env));
  const shown = own.flatMap(({ auth }) => (auth?.type === "own" ? auth.files : []));
  return {
    variables: [...new Set([...variables, ...given])],
    logins: [...new Set([...logins, ...shown])],
    hosts: [...new Set([...hosts, ...scope.network])],
  };
}
