/*
 * Nouns that name something which is built, tested and shown by itself. A list of such nouns is a list of tasks; a list of
 * anything else (fields, columns, flags, names) is detail of one task.
 */

const DELIVERABLES = new Set(
  (
    "account accounts analytics api archive auth authentication authorisation authorization autocomplete backup backups basket " +
    "billing blog bookmarks bot cache caching calendar captcha cart catalog catalogue chat checkout cli comments crawler " +
    "dashboard deployment documentation download downloads editor emails endpoint endpoints export exports faq favorites " +
    "favourites feed feedback forum gallery guide healthcheck history homepage i18n import imports inbox integration inventory " +
    "invites invitations invoices invoicing landing leaderboard limiter limiting localisation localization logging login logout " +
    "map marketplace messaging metrics middleware migration mode moderation monitoring newsletter notification notifications " +
    "onboarding page pages pagination panel payments permissions player playlist portal preferences pricing profile profiles " +
    "quiz ranking ratings recommendations recovery registration report reporting reports reset reviews roles scheduler scheduling " +
    "scraper screen screens search settings shop shortener signup sitemap sso subscription subscriptions sync synchronisation " +
    "synchronization telemetry theme themes timeline tracking translation translations upload uploads verification versioning " +
    "viewer webhook webhooks widget wishlist wizard worker"
  ).split(" "),
);
const PAIRS =
  /\b(?:sign[- ](?:up|in|out)|log[- ](?:in|out)|check[- ]out|rate[- ]limit(?:s|ing|er)?|dark mode|real[- ]time updates?)$/i;

/** Whether the last word of a noun phrase names a deliverable. */
export function isDeliverable(phrase: string): boolean {
  const words = phrase.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const head = words.at(-1);
  return head !== undefined && (DELIVERABLES.has(head) || PAIRS.test(phrase.trim()));
}

/** A new project as a whole: what is listed behind it are its parts. */
export const WHOLE_PROJECT =
  "(?:app|application|web ?app|website|site|service|microservice|platform|api|backend|frontend|project|product|system|tool|shop|store|portal|game|bot|server|prototype|mvp|cli)";
