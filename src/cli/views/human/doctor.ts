import type { FoundAgent } from "../../../hands/agents/find-agents.js";
import type { ChecksTried, Examination, Examined } from "../../../app/setup-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { type Paint } from "./screen.js";

export function doctorText({ ready, checks, tried, agents }: Examined, paint: Paint): string[] {
  return [
    ...checks.flatMap((check) => checkLines(check, paint)),
    ...triedLines(tried, paint),
    "",
    "Agents",
    ...agents.flatMap((agent) => agentLines(agent, paint)),
    "",
    ready ? "Ready." : "Not ready: something above must be fixed first.",
  ];
}

export function checkLines({ name, status, detail, fix }: Examination, paint: Paint): string[] {
  const marks = {
    good: paint.good("+ good   "),
    weak: paint.careful("~ weak   "),
    bad: paint.bad("x bad    "),
    unknown: paint.dim("? unknown"),
  };
  return [
    `${marks[status]}  ${name.padEnd(10)}  ${oneLine(detail)}`,
    ...(fix === null ? [] : [`           Fix: ${oneLine(fix)}`]),
  ];
}

/** Setup and each check on HEAD: what a person would see when they ran them. */
export function triedLines({ commit, lines }: ChecksTried, paint: Paint): string[] {
  if (commit === null) return [];
  const marks = { good: paint.good("+"), weak: paint.careful("~"), bad: paint.bad("x"), unknown: paint.dim("?") };
  return [
    "",
    `Checks on HEAD (${commit.slice(0, 10)}), in the sandbox`,
    ...lines.flatMap(({ name, status, detail, fix }) => [
      `  ${marks[status]} ${oneLine(name)}: ${oneLine(detail)}`,
      ...(fix === null ? [] : [`    Fix: ${oneLine(fix)}`]),
    ]),
  ];
}

const LOGIN = {
  not_needed: "needs no login",
  login_file: "logged in",
  key: "key set",
  none: "not logged in",
} as const;

function agentLines({ name, program, version, login, ready, fix }: FoundAgent, paint: Paint): string[] {
  const mark = ready ? paint.good("+") : paint.dim("-");
  const found = program === null ? "not found" : `${version ?? "version unknown"}, ${LOGIN[login]}`;
  return [
    `  ${mark} ${oneLine(name).padEnd(10)} ${oneLine(found)}`,
    ...(fix === null ? [] : [paint.dim(`    Fix: ${oneLine(fix)}`)]),
  ];
}
