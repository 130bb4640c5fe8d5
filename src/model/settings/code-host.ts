import { z } from "zod";
import { VariableName } from "./agent-config.js";
import { text } from "../primitives.js";

/*
 * Where runs are published and issues are read. It is read from a person's own settings alone: a repository must not
 * choose where a login goes, and not who may approve a plan.
 */

const ServerName = z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,250})(?::\d{1,5})?$/, {
  error: "must be the name of a host as it stands in its addresses, with :port where there is one",
});

const Address = z
  .url()
  .max(500)
  .refine((address) => isProtected(address), {
    error: "must begin with https://; http:// is only for addresses of this machine",
  });

const CodeServer = z.strictObject({
  kind: z
    .enum(["github", "gitlab", "gitea"])
    .default("github")
    .describe("Whose API it speaks; Forgejo speaks that of gitea."),
  api: Address.describe("Where its API is: https://github.example.com/api/v3, …/api/v4 of GitLab, …/api/v1 of Gitea"),
  token_env: VariableName.optional().describe("The variable that holds its token, before all other places."),
  pause_ms: z.int().min(0).max(60_000).default(1000).describe("The least time between two writes."),
});

const HostPerson = z.strictObject({
  name: text(1, 100).describe("Their name in the log, and among `reviewers`."),
  roles: z.array(text(1, 120)).max(50).default([]).describe("What they may decide as, beside themselves."),
});

export const CodeHostSettings = z.strictObject({
  remote: text(1, 100)
    .regex(/^[\w.][\w./-]*$/, { error: "must be the name of a remote of git" })
    .default("origin"),
  branch: text(1, 200)
    .default("coordinator/{issue}-{slug}-{run}")
    .describe("How branches are named: {issue}, {slug} and {run} are filled in."),
  servers: z
    .record(ServerName, CodeServer)
    .default({})
    .describe("Hosts beside github.com, gitlab.com and codeberg.org, by the name that stands in their addresses."),
  people: z
    .record(
      z.string().regex(/^(?:github|gitlab|gitea):\d{1,15}$/, {
        error: "must be github:, gitlab: or gitea: and the number of an account",
      }),
      HostPerson,
    )
    .default({})
    .describe("Who is who: only they can approve a plan by a comment."),
  follow_up: z
    .enum(["inbox", "plan"])
    .default("inbox")
    .describe(
      "What becomes of remarks and red checks on what was published: an entry in the inbox, or a plan that waits for an approval.",
    ),
  plan_label: text(1, 50)
    .regex(/^[^,]+$/, { error: "must be the name of one label, without a comma" })
    .optional()
    .describe(
      "Open issues with this label are planned by `coordinator sync`; absent, none are. A label approves nothing.",
    ),
  plans_a_day: z
    .int()
    .min(0)
    .max(1000)
    .default(20)
    .describe("The most plans in 24 hours that labels and remarks start; what a person orders does not count."),
  webhook_secret_env: VariableName.optional().describe(
    "The variable that holds the secret of the host's messages to `coordinator serve`; none are taken when absent.",
  ),
  other_approver: z
    .boolean()
    .default(false)
    .describe("A plan is approved by somebody else than the author of its issue."),
});
export type CodeHostSettings = z.infer<typeof CodeHostSettings>;

/** A login goes over a line that nobody can read, or does not leave the machine. */
function isProtected(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
}
