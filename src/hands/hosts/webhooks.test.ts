import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verifyDelivery } from "./webhooks.js";

const BYTES = Buffer.from('{"action":"created", "n" :1}\n');
const SECRET = "a-secret-of-the-tests";
const NOW = Date.parse("2026-03-01T10:00:00Z");
const hex = (bytes: Buffer | string, secret = SECRET) => createHmac("sha256", secret).update(bytes).digest("hex");

const KEY = Buffer.from("a-key-of-the-tests");
const SIGNING = `whsec_${KEY.toString("base64")}`;
function signed(id: string, seconds: number, bytes = BYTES) {
  const sum = createHmac("sha256", KEY).update(`${id}.${seconds}.`).update(bytes).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,AAAA v1,${sum}` };
}

describe("a message of a host", () => {
  it("is taken when it is signed with the secret, over the bytes as they came", () => {
    const github = { "x-hub-signature-256": `sha256=${hex(BYTES)}`, "x-github-delivery": "d-1" };
    expect(verifyDelivery("github", github, BYTES, SECRET, NOW)).toEqual({ id: "d-1" });
    const gitea = { "x-gitea-signature": hex(BYTES), "x-gitea-delivery": "d-2" };
    expect(verifyDelivery("gitea", gitea, BYTES, SECRET, NOW)).toEqual({ id: "d-2" });
    const plain = { "x-gitlab-token": SECRET, "x-gitlab-event-uuid": "d-3" };
    expect(verifyDelivery("gitlab", plain, BYTES, SECRET, NOW)).toEqual({ id: "d-3" });
    expect(verifyDelivery("gitlab", signed("d-4", NOW / 1000), BYTES, SIGNING, NOW)).toEqual({ id: "d-4" });
  });

  it("is known by what it says where it has no id", () => {
    const one = verifyDelivery("github", { "x-hub-signature-256": `sha256=${hex(BYTES)}` }, BYTES, SECRET, NOW);
    expect(one?.id).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is refused without the secret, with other bytes, with another host's signature, or from another time", () => {
    const other = Buffer.from(JSON.stringify(JSON.parse(BYTES.toString())));
    const refused = [
      verifyDelivery("github", {}, BYTES, SECRET, NOW),
      verifyDelivery("github", { "x-hub-signature-256": `sha256=${hex(BYTES, "another")}` }, BYTES, SECRET, NOW),
      verifyDelivery("github", { "x-hub-signature-256": `sha256=${hex(BYTES)}` }, other, SECRET, NOW),
      verifyDelivery("github", { "x-hub-signature-256": hex(BYTES) }, BYTES, SECRET, NOW),
      verifyDelivery("github", { "x-gitlab-token": SECRET }, BYTES, SECRET, NOW),
      verifyDelivery("gitea", { "x-gitlab-token": SECRET }, BYTES, SECRET, NOW),
      verifyDelivery("gitlab", { "x-gitlab-token": `${SECRET} ` }, BYTES, SECRET, NOW),
      // Who has a signing secret is not content with a plain one.
      verifyDelivery("gitlab", { "x-gitlab-token": SIGNING }, BYTES, SIGNING, NOW),
      verifyDelivery("gitlab", signed("d", NOW / 1000 - 301), BYTES, SIGNING, NOW),
      verifyDelivery("gitlab", signed("d", NOW / 1000 + 301), BYTES, SIGNING, NOW),
      verifyDelivery("gitlab", { ...signed("d", NOW / 1000), "webhook-id": "e" }, BYTES, SIGNING, NOW),
      verifyDelivery("gitlab", signed("d", NOW / 1000), other, SIGNING, NOW),
    ];
    expect(refused).toEqual(refused.map(() => null));
  });
});
