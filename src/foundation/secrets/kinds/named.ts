import { type NamedKind, UUID } from "./kind.js";

/**
 * Values that only a name tells from ids and checksums. The name must also speak of a secret (`../names.ts`), so that
 * `HEROKU_API_KEY` counts and `HEROKU_APP_ID` does not.
 */
export const NAMED: readonly NamedKind[] = [
  { name: "AWS secret key", words: ["aws", "amazon", "s3", "secretaccesskey", "secretkey"], shapes: ["{base64:40}"] },
  {
    name: "Azure account key",
    words: ["accountkey", "sharedaccesskey", "azure"],
    shapes: ["{base64:43-44}", "{base64:86-88}"],
  },
  { name: "Datadog key", words: ["datadog", "ddapi", "ddapp"], shapes: ["{hex:32}", "{hex:40}"] },
  { name: "Cloudflare key", words: ["cloudflare", "cfapi"], shapes: ["{hex:37}", "{base64url:40}"] },
  { name: "Heroku key", words: ["heroku"], shapes: [UUID] },
  { name: "HubSpot key", words: ["hubspot", "hapi"], shapes: [UUID] },
  { name: "Snyk token", words: ["snyk"], shapes: [UUID] },
  { name: "Codecov token", words: ["codecov"], shapes: [UUID] },
  { name: "Scaleway secret key", words: ["scaleway", "scw"], shapes: [UUID] },
  { name: "Postmark token", words: ["postmark"], shapes: [UUID] },
  { name: "Sendbird token", words: ["sendbird"], shapes: [UUID, "{hex:40}"] },
  { name: "Squarespace token", words: ["squarespace"], shapes: [UUID] },
  { name: "MessageBird key", words: ["messagebird"], shapes: [UUID, "{alnum:25}"] },
  { name: "Consul token", words: ["consul", "nomad"], shapes: [UUID] },
  { name: "KuCoin secret", words: ["kucoin"], shapes: [UUID, "{hex:24}"] },
  { name: "Docker login", words: ["dockerauthconfig"], shapes: ["{base64:12+}"] },
  { name: "Mailgun signing key", words: ["mailgun"], shapes: ["{hex:32}-{hex:8}-{hex:8}"] },
  { name: "Okta token", words: ["okta"], shapes: ["00{base64url:40}"] },
  { name: "Telegram token", words: ["telegram", "tg"], shapes: ["{digit:5-16}:{base64url:33-36}"] },
  {
    name: "Twitter token",
    words: ["twitter"],
    shapes: ["{digit:15-25}-{alnum:20-40}", "{alnum:25}", "{alnum:45}", "{alnum:50}"],
  },
  { name: "Mattermost token", words: ["mattermost"], shapes: ["{lowernum:26}"] },
  { name: "Confluent key", words: ["confluent"], shapes: ["{alnum:16}", "{base64:64}"] },
  { name: "Plaid secret", words: ["plaid"], shapes: ["{hex:24}", "{hex:30}"] },
  { name: "Dropbox secret", words: ["dropbox"], shapes: ["{lowernum:15}"] },
  { name: "LinkedIn secret", words: ["linkedin"], shapes: ["{alnum:14}", "{alnum:16}"] },
  { name: "Looker secret", words: ["looker"], shapes: ["{lowernum:20}", "{lowernum:24}"] },
  { name: "Etsy key", words: ["etsy"], shapes: ["{lowernum:24}"] },
  { name: "Finnhub key", words: ["finnhub"], shapes: ["{lowernum:20}"] },
  { name: "Pusher secret", words: ["pusher"], shapes: ["{hex:20}"] },
  { name: "Travis token", words: ["travis"], shapes: ["{base64url:22}"] },
  { name: "Beamer token", words: ["beamer"], shapes: ["b_{token:44}"] },
  { name: "Adyen key", words: ["adyen"], shapes: ["AQE{token:60+}"] },
];
