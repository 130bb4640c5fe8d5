import { resolveAgent } from "../agents/resolve-agent.js";
import type { AgentAuth } from "../../model/settings/agent-config.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import { KNOWN_LOGINS, type KnownLogin } from "../../model/settings/known-logins.js";
import { namedAgent } from "./named-agent.js";

/*
 * The agreement of a person, given once and in their own settings: which of their logins agents are shown, and which hosts an
 * agent that has one may reach beside its maker's. A repository can ask for both and grant neither.
 */

const OWN = "~/.config/coordinator/config.yaml";

type Agreement = Pick<Configuration, "logins" | "hosts" | "scope">;

/** Login files the agent would be shown and nobody agreed to, as they stand below the home. */
export function unagreedFiles(auth: AgentAuth, { logins }: Pick<Configuration, "logins">): string[] {
  if (auth.type !== "own") return [];
  const agreed = new Set<string>([
    ...logins,
    ...logins.flatMap((name) => (Object.hasOwn(KNOWN_LOGINS, name) ? knownFiles(name) : [])),
  ]);
  return auth.files.filter((file) => !agreed.has(file));
}

/** For the log: which agents of a run can read which login files. */
export function chooseShownLogins(
  names: readonly (string | null)[],
  configuration: Pick<Configuration, "agents">,
): { readonly logins?: { agent: string; files: string[] }[] } {
  const logins = [...new Set(names)].flatMap((agent) => {
    const settings = agent === null ? null : namedAgent(agent, configuration);
    if (agent === null || settings === null) return [];
    const { auth } = resolveAgent(agent, settings);
    return auth.type === "own" && auth.files.length > 0 ? [{ agent, files: [...auth.files] }] : [];
  });
  return logins.length === 0 ? {} : { logins };
}

/** The text that a person reads before they agree. */
export function loginAtStake(name: string, auth: AgentAuth): string {
  if (auth.type !== "own") return "";
  const files = auth.files.map((file) => `~/${file}`).join(", ");
  return `${name} works with your login: it can read ${files}, as far as you have them, and send it to ${auth.hosts.join(", ")}.`;
}

/** Contract: throws USAGE for an agent with a login of a person's that they did not agree to show, or to let go so far. */
export function requireAgreement(name: string, preset: string | undefined, auth: AgentAuth, agreed: Agreement): void {
  if (auth.type !== "own" || auth.files.length === 0) return;
  const files = unagreedFiles(auth, agreed);
  if (files.length > 0)
    throw new CoordinatorError("USAGE", `${loginAtStake(name, auth)} You have not agreed to that yet`, {
      fix: `Agree once, in ${OWN}: logins: [${preset ?? files.join(", ")}]; or give it a key instead, with auth: proxy.`,
    });
  const further = agreed.scope.network.filter((host) => !auth.hosts.includes(host) && !agreed.hosts.includes(host));
  if (further.length > 0)
    throw new CoordinatorError(
      "USAGE",
      `scope.network of the project lets ${name}, which can read your login, reach ${further.join(", ")}`,
      {
        fix: `If your login may go there, say so in ${OWN}: hosts: [${further.join(", ")}]; or give ${name} a key instead, with auth: proxy.`,
      },
    );
}

function knownFiles(name: string): readonly string[] {
  const known: KnownLogin = KNOWN_LOGINS[name as keyof typeof KNOWN_LOGINS];
  return known.files;
}
