import type { AttemptOutcome } from "../../model/run.js";
import type { ResolvedAgent } from "./resolve-agent.js";

/*
 * An agent without a login, or in a mode it was not asked to be in, does not get better by being started again. Both are
 * put to a person at once, as a question that says what to do.
 */

type Question = Extract<AttemptOutcome, { kind: "clarification" }>;
type Who = Pick<ResolvedAgent, "name" | "preset" | "auth">;

/** Messages of programs and model servers about a missing, wrong or expired login. */
const SAYS_SO =
  /not logged in|log ?in required|please (?:log|sign) ?in|(?:run|use) [`'"]?(?:\/login|\w+ (?:auth )?login)|authentication (?:is )?(?:required|failed)|auth_?required|authentication_error|\bunauthori[sz]ed\b|invalid (?:x-)?(?:api[- _]?key|authentication|credentials|bearer|token)|(?:api[- _]?key|credentials?) (?:(?:is|are|was|were) )?(?:missing|not (?:set|found|valid|configured)|invalid|expired|required)|no (?:api[- _]?key|credentials?)|(?:token|login|session) (?:has |is )?expired|\b401\b/i;

/** Last words that are nothing but that. An agent may well write about logins: only a line of its own counts. */
const NOTHING_ELSE =
  /^(?:(?:api )?error:? ?)?(?:401\b|not logged in|invalid api key|please (?:run|log|sign)|authentication (?:required|failed)|unexpected status 401|oauth token (?:has |is )?expired)[^\n]{0,300}$/i;

/** The agent's word for "who are you", in an error or beside a bad end; null when it is about something else. */
export function loginFailure(agent: Who, said: string): Question | null {
  return SAYS_SO.test(said) ? notLoggedIn(agent, said) : null;
}

export function loginInOutput(agent: Who, output: string): Question | null {
  return NOTHING_ELSE.test(output.trim()) ? notLoggedIn(agent, output) : null;
}

export function notLoggedIn(agent: Who, said: string): Question {
  const words = said.trim().replace(/\s+/g, " ").slice(0, 300);
  return ask(`${titleOf(agent)} is not logged in (${words}). ${wayIn(agent)} Then let the task be tried again.`);
}

export function wrongMode(agent: Who, problem: string): Question {
  return ask(
    `${titleOf(agent)} is not understood: ${problem}. Set agents.${agent.name}.mode in coordinator.yaml to a mode it ` +
      `has, or to null to rely on the sandbox alone; coordinator doctor --agent ${agent.name} tries it. Then let the ` +
      "task be tried again.",
  );
}

const ask = (question: string): Question => ({ kind: "clarification", question });

const titleOf = ({ name, preset }: Who) =>
  preset === null || preset.name === name ? `The agent ${name}` : `The agent ${name} (${preset.title})`;

function wayIn({ name, preset, auth }: Who): string {
  const how = preset === null || preset.login.files.length === 0 ? null : preset.login.how;
  switch (auth.type) {
    case "proxy":
      return `${auth.upstream} does not take the key in ${auth.key_env}: set ${auth.key_env} where the Coordinator runs.`;
    case "own": {
      const files = auth.files.map((path) => `~/${path}`).join(", ");
      return `Log in outside of the sandbox: ${how ?? "as its maker says"}. Its login is looked for in ${files}.`;
    }
    case "none":
      return `It was given no login: set agents.${name}.auth in coordinator.yaml${how === null ? "" : ` (${how})`}.`;
  }
}
