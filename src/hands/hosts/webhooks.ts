import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { HostKind } from "./code-host.js";

/*
 * Whether a message comes from the host that it says it comes from. The signature covers the bytes as they came, and nothing of them
 * is read before. A message is a hint to look, and says nothing that is believed.
 */

export interface Delivery {
  /** By which a message that comes twice is known. */
  readonly id: string;
}

/** How far the clocks of a host and of this machine may be apart. */
const MOST_SKEW_MS = 5 * 60_000;
const SIGNING = "whsec_";

/** Null for one that nobody signed who has the secret. Contract: takes as long for a signature that is nearly right. */
export function verifyDelivery(
  kind: HostKind,
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  secret: string,
  nowMs: number,
): Delivery | null {
  const headerOf = (name: string) => {
    const value = headers[name];
    return typeof value === "string" && value.length <= 1000 ? value : "";
  };
  // A message without an id of its own is known by what it says.
  const idOf = (...names: string[]) =>
    names.map(headerOf).find((value) => value !== "") ?? createHash("sha256").update(bytes).digest("hex");
  const hmac = (key: string | Buffer, ...parts: (string | Buffer)[]) => {
    const sum = createHmac("sha256", key);
    for (const part of parts) sum.update(part);
    return sum;
  };
  switch (kind) {
    case "github":
      return same(headerOf("x-hub-signature-256"), `sha256=${hmac(secret, bytes).digest("hex")}`)
        ? { id: idOf("x-github-delivery") }
        : null;
    case "gitea":
      return same(headerOf("x-gitea-signature") || headerOf("x-forgejo-signature"), hmac(secret, bytes).digest("hex"))
        ? { id: idOf("x-gitea-delivery", "x-forgejo-delivery") }
        : null;
    case "gitlab": {
      if (!secret.startsWith(SIGNING))
        return same(headerOf("x-gitlab-token"), secret) ? { id: idOf("x-gitlab-event-uuid", "idempotency-key") } : null;
      const [id, at] = [headerOf("webhook-id"), headerOf("webhook-timestamp")];
      const isNow = /^\d{1,12}$/.test(at) && Math.abs(nowMs - Number(at) * 1000) <= MOST_SKEW_MS;
      const key = Buffer.from(secret.slice(SIGNING.length), "base64");
      const wanted = `v1,${hmac(key, `${id}.${at}.`, bytes).digest("base64")}`;
      const isSigned = headerOf("webhook-signature")
        .split(" ")
        .some((one) => same(one, wanted));
      return isNow && isSigned && id !== "" ? { id } : null;
    }
  }
}

/** The lengths may differ, and the checksums of both never do. */
function same(given: string, wanted: string): boolean {
  const sum = (text: string) => createHash("sha256").update(text).digest();
  return given !== "" && timingSafeEqual(sum(given), sum(wanted));
}
