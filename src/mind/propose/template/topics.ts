import type { Proposal } from "../../../model/proposal.js";
import type { CommandParameter } from "../../../model/plan/registry.js";
import type { KindOfWork } from "./kind-of-work.js";

/*
 * Subjects that bring conditions, risks and questions of their own, whatever kind of work touches them. A question stands
 * here only when no file of the repository can answer it; `said` are words by which a request has answered it already.
 * One without a default blocks the plan until a person answers; the others are asked where the mode allows it.
 */

export interface Topic {
  readonly id: string;
  readonly words: RegExp;
  readonly kinds: readonly KindOfWork[];
  readonly criteria: readonly string[];
  readonly risk: Proposal["risks"][number];
  readonly question?: CommandParameter & { readonly said: RegExp };
}

const BUILDS: readonly KindOfWork[] = ["feature", "new_project"];
const CHANGES: readonly KindOfWork[] = [...BUILDS, "bugfix", "refactoring", "vulnerability", "migration"];

const TOPICS: readonly Topic[] = [
  {
    id: "accounts",
    words:
      /\b(?:authentication|auth|log[- ]?in|sign[- ]?(?:in|up)|registration|user accounts?|password|sessions?|jwt|oauth)\b/i,
    kinds: BUILDS,
    criteria: ["A request without a valid login is refused, and a test shows it."],
    risk: {
      risk: "A mistake in authentication opens what it should protect.",
      severity: "medium",
      mitigation: "Refused cases are tested as well as allowed ones, and secrets come from the environment.",
    },
    question: {
      name: "accounts_kept",
      question: "Where are user accounts and passwords kept?",
      why: "Who keeps the passwords decides what is built, what is stored and who answers for it. No file says so.",
      blocking_level: "high",
      options: [
        { answer: "own_database", rationale: "The project stores accounts and password hashes itself." },
        { answer: "identity_provider", rationale: "A service such as an OpenID Connect provider keeps them." },
        { answer: "existing_accounts", rationale: "The project has accounts already; they are used as they are." },
      ],
      said: /\b(?:supabase|auth0|firebase|cognito|keycloak|okta|clerk|oidc|openid|oauth\w*|saml|sso|ldap|next-?auth|passport|devise|(?:github|google|microsoft|apple) (?:login|sign-?in|accounts?)|own database|existing (?:users?|accounts?|login)|in (?:memory|the database|our database)|htpasswd|api keys?|basic auth|log[- ]?in (?:page|form|button|screen)|own_database|identity_provider|existing_accounts)\b/i,
    },
  },
  {
    id: "payments",
    words: /\b(?:payments?|billing|subscriptions? plans?|credit cards?|pay by card)\b/i,
    kinds: BUILDS,
    criteria: ["A payment that fails or is repeated is never counted twice, and a test shows it."],
    risk: {
      risk: "Money may be taken twice, or not at all.",
      severity: "medium",
      mitigation: "Each payment has a key that makes repeating it harmless; tests use the provider's test mode.",
    },
    question: {
      name: "payment_provider",
      question: "Which payment provider is used?",
      why: "Providers differ in what they store, in which countries they work and in how they call back.",
      blocking_level: "high",
      options: [],
      said: /\b(?:stripe|paypal|adyen|braintree|mollie|square|klarna|paddle|razorpay|apple pay|google pay|invoice only|existing provider)\b/i,
    },
  },
  {
    id: "removal_of_data",
    words:
      /\b(?:delet|purg|eras|wip|remov|drop)\w*\b[^.\n]{0,40}\b(?:accounts?|customer data|user data|personal data|stored data|old (?:data|rows|records|entries)|records|rows)\b/i,
    kinds: [...BUILDS, "migration"],
    criteria: ["What is removed can be named before it is removed, and a test shows that nothing else goes."],
    risk: {
      risk: "Data that is removed cannot be brought back.",
      severity: "medium",
      mitigation: "A test shows what is removed and what stays.",
    },
    question: {
      name: "removed_data",
      question: "Is the data removed for good, or kept where nobody sees it?",
      why: "Law and support may want one or the other, and data that is removed for good cannot be brought back.",
      blocking_level: "high",
      options: [
        {
          answer: "for_good",
          rationale: "The rows are gone, also from backups when those expire.",
          risk_change: "increase",
        },
        {
          answer: "archived",
          rationale: "The rows are marked or moved, and can be restored.",
          risk_change: "decrease",
        },
        {
          answer: "anonymised",
          rationale: "The rows stay without what tells whose they are.",
          risk_change: "no_change",
        },
      ],
      said: /\b(?:soft[- ]delet\w*|archiv\w*|for good|permanent\w*|irrevocabl\w*|anonymi[sz]\w*|hard[- ]delet\w*|test data|fixtures?|cache)\b/i,
    },
  },
  {
    id: "public_interface",
    words:
      /\b(?:rename|change|replace|restructure|move)\b[^.\n]{0,50}\b(?:apis?|endpoints?|routes?|options?|flags?|parameters?|arguments?|exports?|public (?:methods?|functions?|class(?:es)?))\b/i,
    kinds: CHANGES,
    criteria: ["Callers of the old form keep working, or it is written down that they do not."],
    risk: {
      risk: "Callers outside of this repository may depend on the old form.",
      severity: "low",
      mitigation: "The old form keeps working unless a person decided otherwise.",
    },
    question: {
      name: "old_form",
      question: "Must callers of the old form keep working?",
      why: "Callers outside of this repository cannot be seen from here, and a break needs a new major version.",
      blocking_level: "medium",
      options: [
        { answer: "compatible", rationale: "The old form keeps working beside the new one.", risk_change: "decrease" },
        {
          answer: "breaking",
          rationale: "Callers have to change; it goes into the next major version.",
          risk_change: "increase",
        },
      ],
      default: "compatible",
      said: /\b(?:backwards?[- ]compatib\w*|deprecat\w*|breaking|internal|private|unused|dead code|alias)\b/i,
    },
  },
  {
    id: "uploads",
    words:
      /\b(?:file|image|photo|avatar|document)s? uploads?\b|\bupload(?:ing)? (?:of )?(?:files|images|photos|avatars|documents)\b/i,
    kinds: BUILDS,
    criteria: ["Files that are too large or of another kind are refused, and a test shows it."],
    risk: {
      risk: "Uploaded files may be large, or not what they say they are.",
      severity: "low",
      mitigation: "Size and kind are limited, and files are never executed or served from the program's own folder.",
    },
    question: {
      name: "uploads_kept",
      question: "Where are uploaded files kept?",
      why: "Files on the server's disk are lost when it is replaced; a bucket costs money and needs credentials.",
      blocking_level: "medium",
      options: [
        { answer: "disk", rationale: "In a folder of the server that settings name." },
        { answer: "object_storage", rationale: "In a bucket that settings name." },
      ],
      default: "disk",
      said: /\b(?:s3|bucket|object storage|blob storage|minio|disk|database|cloudinary|supabase storage)\b/i,
    },
  },
  {
    id: "mail",
    words: /\b(?:send(?:s|ing)? (?:an? )?e-?mails?|e-?mail notifications?|newsletter|password reset|by e-?mail)\b/i,
    kinds: BUILDS,
    criteria: ["No mail is sent while tests run; they show what would be sent and to whom."],
    risk: {
      risk: "Mail may reach people by mistake, or not at all.",
      severity: "low",
      mitigation: "Sending is behind one interface, which tests replace.",
    },
    question: {
      name: "mail_service",
      question: "How is mail sent?",
      why: "A service of your own choice needs an account and a key; a project may have one already.",
      blocking_level: "medium",
      options: [
        { answer: "smtp", rationale: "By SMTP, with server and login from the environment." },
        { answer: "existing", rationale: "By what the project uses already." },
      ],
      default: "smtp",
      said: /\b(?:smtp|sendgrid|ses|mailgun|postmark|resend|sendmail|nodemailer)\b/i,
    },
  },
  {
    id: "speed",
    words: /\b(?:faster|speed up|slow|performance|latency|optimi[sz]e)\b/i,
    kinds: CHANGES,
    criteria: ["A measurement before and after is written into the result."],
    risk: {
      risk: "A change may be faster in one case and slower in another.",
      severity: "low",
      mitigation: "It is measured before and after, on the same input.",
    },
  },
  {
    id: "parallel",
    words: /\b(?:concurren\w+|parallel|race condition|deadlock|locking|thread[- ]safe)\b/i,
    kinds: CHANGES,
    criteria: ["A test lets the work happen at the same time many times over."],
    risk: {
      risk: "What depends on timing may pass by chance.",
      severity: "low",
      mitigation: "The test repeats what happens at the same time, often and in different orders.",
    },
  },
];

/** The topics that a text of a kind touches. Contract: pure; in a fixed order. */
export function topicsOf(text: string, kind: KindOfWork): readonly Topic[] {
  return TOPICS.filter(({ words, kinds }) => kinds.includes(kind) && words.test(text));
}
