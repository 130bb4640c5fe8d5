/*
 * Whether a comment approves a plan. A label, a reaction or a word of praise never does: an approval names the plan's
 * checksum, so that it is clear what was seen.
 */

export interface SaidComment {
  readonly id: number;
  readonly body: string;
  readonly author: { readonly id: number; readonly login: string; readonly isBot: boolean } | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ApprovalTerms {
  readonly plan_checksum: string;
  /** When the plan was posted on the issue. */
  readonly told_at: string;
  /** The account that publishes. */
  readonly ours: number;
  /** The author of the issue; null when nobody is known. */
  readonly requester: number | null;
  readonly other_approver: boolean;
  /** Accounts that the settings know. */
  readonly known: ReadonlySet<number>;
  /** As the settings write it. */
  readonly kind: string;
}

export type JudgedComment =
  /** It orders nothing. */
  | { readonly status: "none" }
  | { readonly status: "refused"; readonly why: string }
  /** It approves, if its author may at this moment. */
  | { readonly status: "approves"; readonly author: number; readonly login: string };

/** How much of the checksum is typed. */
const TYPED = 12;

export const approvalCommand = (checksum: string) => `/coordinator approve ${checksum.slice(0, TYPED)}`;

/** Contract: pure. Whether the author has the right is asked at the host, afterwards. */
export function judgeComment(comment: SaidComment, terms: ApprovalTerms): JudgedComment {
  const { author, body, created_at, updated_at } = comment;
  const ordered = body.split(/\r?\n/).flatMap((line) => /^\/coordinator\s+approve\b\s*(\S*)\s*$/.exec(line)?.[1] ?? []);
  if (author === null || author.id === terms.ours || ordered.length === 0) return { status: "none" };
  const refuse = (why: string): JudgedComment => ({ status: "refused", why: `${author.login}: ${why}` });
  if (author.isBot) return refuse("programs do not approve");
  if (created_at !== updated_at) return refuse("the comment was edited; write a new one");
  if (Date.parse(created_at) < Date.parse(terms.told_at)) return refuse("the comment is older than the plan");
  if (ordered.some((typed) => typed !== terms.plan_checksum.slice(0, TYPED)))
    return refuse("the checksum is not that of the plan");
  if (!terms.known.has(author.id))
    return refuse(`${terms.kind}:${author.id} is not listed under code_host.people in the settings`);
  if (terms.other_approver && author.id === terms.requester)
    return refuse("the author of the issue does not approve it");
  return { status: "approves", author: author.id, login: author.login };
}
