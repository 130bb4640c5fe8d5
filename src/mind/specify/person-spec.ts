import type { Check } from "../../model/settings/check.js";
import type { IntentSpec, Verification } from "../../model/intent-spec.js";
import { judgeSpec } from "./judge-spec.js";

/*
 * An Intent Spec out of what a person says, where no product agent is configured. Three answers make it up: what must be
 * true, by what that is seen, and what is not asked for. Nothing is invented: each requirement is a statement of theirs.
 */

export interface PersonAsked {
  /** Names the request. */
  readonly about: string;
  /** The request in one line. */
  readonly title: string;
  /** The request with the answers to intake's questions. */
  readonly request: string;
  /** Acceptance criteria in the request itself. */
  readonly acceptance: readonly string[];
  /** The rule that sent it to product. */
  readonly ruleId: string;
  readonly answers: readonly { readonly id: string; readonly answer: string }[];
  readonly checks: readonly Check[];
}

export type PersonSpecified =
  | {
      readonly status: "questions";
      readonly questions: readonly { readonly id: string; readonly question: string; readonly options?: string[] }[];
    }
  /** `spec` is null when the words are all there is: `told` says why. */
  | { readonly status: "specified"; readonly spec: IntentSpec | null; readonly told: string };

/** Contract: pure. Nothing is specified before a person has said what must be true. */
export function specifyByPerson(asked: PersonAsked): PersonSpecified {
  const answerTo = (id: string) => asked.answers.find((answer) => answer.id === id)?.answer.trim() ?? "";
  const open = questionsOf(asked).filter(({ id }) => answerTo(id) === "");
  const [own = answerTo("acceptance")] = asked.acceptance;
  // One who was asked answers all of it; one who said what must be true without being asked is not asked.
  const wasAsked = answerTo("proof") !== "" || answerTo("out_of_scope") !== "";
  if (own !== "" && !wasAsked)
    return {
      status: "specified",
      spec: null,
      told: `No Intent Spec: the request itself says what must be true (${own}).`,
    };
  if (open.length > 0) return { status: "questions", questions: open };
  const verifications = parts(answerTo("proof")).map((proof) => verificationOf(proof, asked.checks));
  const unread = parts(answerTo("proof")).filter((_, i) => verifications[i] === null);
  if (unread.length > 0 || verifications.length === 0)
    return wordsOnly(`${unread[0] ?? "nothing"} is not a check, command or file that a program could look at`);
  const statements = parts(answerTo("acceptance"));
  const spec: IntentSpec = {
    schema_version: "1.0.0",
    id: `IS-${asked.about.replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 60)}`,
    version: "1.0.0",
    objective: asked.title.length < 5 ? `${asked.title} is done` : asked.title.slice(0, 2000),
    requirements: statements.slice(0, 100).map((statement, i) => ({
      id: `REQ-${i + 1}`,
      description: long(statement),
      verification: verifications[Math.min(i, verifications.length - 1)] as Verification,
      source: "answer:acceptance",
      priority: "must_have",
    })),
    constraints: [],
    out_of_scope: parts(answerTo("out_of_scope"))
      .slice(0, 50)
      .map((part) => long(part).slice(0, 500)),
    assumptions: [],
    context_refs: [],
  };
  const [finding] = judgeSpec(spec, {
    request: asked.request,
    documents: [],
    facts: null,
    answers: asked.answers.map(({ id }) => id),
    checks: asked.checks,
  });
  if (finding !== undefined) return wordsOnly(`${finding.message} ${finding.fix}`);
  const count = spec.requirements.length;
  return {
    status: "specified",
    spec,
    told: `Specified from your answers: ${count} requirement${count === 1 ? "" : "s"}`,
  };
}

function questionsOf({ ruleId, checks }: PersonAsked) {
  const names = checks.map(({ name }) => name);
  const known = names.length === 0 ? "" : `a check of this project (${names.join(", ")}), `;
  return [
    {
      id: "acceptance",
      question:
        `What must be true when this is done? Several statements are separated by ";". ` +
        `(Rule ${ruleId} sends this to product. Answer t to overrule it: a technical instruction, sent to dev as it is.)`,
    },
    {
      id: "proof",
      question: `By what is that seen? Name ${known}a command in backticks, or a file; one for all, or one for each, separated by ";".`,
      ...(names.length === 0 ? {} : { options: names }),
    },
    { id: "out_of_scope", question: "What near by is not asked for?" },
  ];
}

function wordsOnly(why: string): PersonSpecified {
  return { status: "specified", spec: null, told: `No Intent Spec, your words are used as they are: ${why}` };
}

/** Statements of one answer: lines, or what semicolons part. */
function parts(answer: string): string[] {
  return answer.split(/[\n;]/).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

/** A statement has at least three characters. */
function long(statement: string): string {
  return statement.length < 3 ? `${statement} (as said)` : statement.slice(0, 1000);
}

/** How a program sees it; null for what none can look at. */
function verificationOf(proof: string, checks: readonly Check[]): Verification | null {
  const check = checks.find(({ name }) => name.toLowerCase() === proof.toLowerCase());
  if (check !== undefined) return { kind: "check", name: check.name };
  const [, run] = /^`([^`]+)`$/.exec(proof) ?? [];
  if (run !== undefined) return { kind: "command", run, exit_code: 0 };
  if (/^[\w@.*-]+(?:\/[\w@.*-]+)*$/.test(proof) && /[/.]/.test(proof))
    return { kind: "file_exists", path: proof, exists: true };
  return null;
}
