import { createHash } from "node:crypto";
import { type HostPlace, placeOfIssue } from "../../hands/hosts/addresses.js";
import type { CodeHost, HostIssue } from "../../hands/hosts/code-host.js";
import { cleanHostText } from "../../mind/publish/host-text.js";
import { CoordinatorError } from "../../model/errors.js";

/** An issue at one moment, as it is read from here on. */
export interface IssueSnapshot {
  readonly issue: HostIssue;
  /** Of title and body as the host gave them. */
  readonly checksum: string;
  /** The text as a person sees it. */
  readonly words: string;
  readonly removed: readonly string[];
}

/** Contract: throws USAGE for text that is not the address of an issue, or one of another repository than the project's. */
export function requireIssueOf(address: string, project: HostPlace): number {
  const place = placeOfIssue(address);
  if (place === null)
    throw new CoordinatorError("USAGE", `${address} is not the address of an issue`, {
      fix: "Write it as the browser shows it: https://github.com/OWNER/NAME/issues/12",
    });
  const isHere = place.server === project.server && place.repository.toLowerCase() === project.repository.toLowerCase();
  if (isHere) return place.number;
  throw new CoordinatorError(
    "CODE_HOST_UNKNOWN",
    `The issue is one of ${place.server}/${place.repository}, and this project is ${project.server}/${project.repository}`,
    { fix: "Stand in the project of the issue (--cwd DIR), or name its remote in your settings: code_host.remote." },
  );
}

/** Contract: throws USAGE for what cannot be worked on, and what the host throws. */
export async function readSnapshot(host: CodeHost, number: number): Promise<IssueSnapshot> {
  const issue = await host.readIssue(number);
  const refuse = (why: string, fix: string) => new CoordinatorError("USAGE", `#${number} ${why}`, { fix });
  if (issue.isPull) throw refuse("is a pull request", "Name an issue.");
  if (issue.state === "closed") throw refuse("is closed", "Reopen it first, or name another one.");
  const title = cleanHostText(issue.title);
  const body = cleanHostText(issue.body);
  return {
    issue,
    checksum: checksumOfIssue(issue),
    words: [title.text, body.text].filter(Boolean).join("\n\n"),
    removed: [...title.removed, ...body.removed],
  };
}

export function checksumOfIssue({ title, body }: Pick<HostIssue, "title" | "body">): string {
  return createHash("sha256")
    .update(JSON.stringify([title, body]))
    .digest("hex");
}
