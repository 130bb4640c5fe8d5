import type { ClientChange, ProjectsListed, ServeReport, TokensListed } from "../../../app/serve-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import type { Paint } from "./screen.js";

export function serveText(report: ServeReport, paint: Paint): string[] {
  switch (report.type) {
    case "served":
      return ["Stopped. Runs that were under way are resumed when the server starts again."];
    // Stdout carried the protocol, and carries nothing else.
    case "mcp_served":
      return [];
    case "mcp_registered":
      return registeredText(report.changes, paint);
    case "projects":
      return projectsText(report, paint);
    case "tokens":
      return tokensText(report, paint);
    case "token_added":
      return [
        `${paint.good("+ added")}  ${oneLine(report.token.name)}, ${report.token.role}${until(report.token.expires_at)}`,
        "",
        report.secret,
        "",
        "It is shown this once and kept nowhere. Programs send it as Authorization: Bearer TOKEN; a person types it",
        "into the login page of the dashboard.",
      ];
    case "token_revoked":
      return [`Revoked: ${oneLine(report.token.name)}. Its sessions have ended.`];
    case "login":
      return [report.url, "", `It logs one browser in, once, within ${report.minutes} minutes.`];
  }
}

const CHANGES: Readonly<Record<ClientChange["status"], string>> = {
  written: "registered",
  shown: "not changed: this only shows it",
  declined: "not changed: you said no",
  already: "is registered already",
  removed: "removed",
  changed: "not changed: the lines are not as they were written. Take them out by hand",
  absent: "its file is gone",
};

function registeredText(changes: readonly ClientChange[], paint: Paint): string[] {
  if (changes.length === 0) return ["Coordinator is registered with no program here."];
  return changes.flatMap(({ title, file, status, diff }) => [
    `${title}: ${CHANGES[status]}`,
    `  ${file}`,
    ...diff.map((line) => `  ${line.startsWith("+") ? paint.good(line) : line}`),
  ]);
}

function projectsText({ done, root, projects, file }: ProjectsListed, paint: Paint): string[] {
  const told = {
    listed: [],
    added: [`${paint.good("+ added")}  ${root ?? ""}`],
    known: [`${root ?? ""} is in the list already.`],
    removed: [`Removed: ${root ?? ""}. Nothing in it was changed.`],
  }[done];
  if (done !== "listed") return told;
  if (projects.length === 0) return ["No project is remembered.", "Next: coordinator projects add DIR"];
  return [
    ...projects.map(({ root: each, there }) =>
      there ? `  ${each}` : `  ${each} ${paint.bad("(not there any more)")}`,
    ),
    paint.dim(`(${file})`),
  ];
}

function tokensText({ tokens }: TokensListed, paint: Paint): string[] {
  if (tokens.length === 0) return ["There is no token yet.", "Next: coordinator token add NAME --role reader"];
  return tokens.map(
    ({ token_id, name, role, created_at, expires_at, expired }) =>
      `  ${token_id.padEnd(16)} ${role.padEnd(9)} ${oneLine(name).padEnd(20)} since ${created_at.slice(0, 10)}` +
      (expired ? ` ${paint.bad("expired")}` : until(expires_at)),
  );
}

function until(expires_at: string | null): string {
  return expires_at === null ? "" : `, until ${expires_at.slice(0, 10)}`;
}
