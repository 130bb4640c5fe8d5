import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { chooseKey, type KeysSeen } from "./choose-key.js";
import { keyOfPem, type PublicKey } from "../project/open-runs.js";

const newKey = () =>
  keyOfPem(generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }) as string) as PublicKey;
const [mine, other] = [newKey(), newKey()];
const note = ({ id }: PublicKey) =>
  `coordinator/run_x\n1\n${"A".repeat(43)}=\nnow\n\n— coordinator ${Buffer.concat([Buffer.from(id, "hex"), Buffer.alloc(64)]).toString("base64")}\n`;
const known = (key: PublicKey, first_seen: string) => ({ key_id: key.id, public_key: key.pem, first_seen });
const checkpoint = { run_id: "run_x", sequence: 1, hash: "0".repeat(64), at: "now" };
const seen = (more: Partial<KeysSeen>): KeysSeen => ({ project: mine, remembered: null, known: [], team: [], ...more });
const EARLY = "2026-01-01T00:00:00Z";
const LATE = "2026-03-01T00:00:00Z";

describe("the key a run is verified with", () => {
  it.each([
    ["the project's, where nothing is remembered", seen({}), mine],
    ["the one remembered of the run", seen({ remembered: { where: "", key: mine, checkpoint } }), mine],
    [
      "the one it was signed with, where the project has had several",
      seen({ project: other, known: [known(mine, EARLY), known(other, LATE)] }),
      mine,
    ],
  ])("is %s", (_, keys, key) => {
    expect(chooseKey(keys, [note(mine)], EARLY)).toMatchObject({ key, findings: [] });
  });

  it.each([
    ["is missing", seen({ project: null })],
    ["is missing, though one is remembered", seen({ project: null, known: [known(mine, EARLY)] })],
    [
      "is not the one the run was signed with",
      seen({ project: other, remembered: { where: "", key: mine, checkpoint } }),
    ],
    ["is none the project was ever seen with", seen({ project: other, known: [known(mine, EARLY)] })],
  ])("is found where the project's %s", (_, keys) => {
    expect(chooseKey(keys, [note(keys.project ?? mine)], EARLY).findings).toHaveLength(1);
  });

  it("is joined by keys of the team that the person trusts, and by no other", () => {
    const bob = newKey();
    const chosen = chooseKey(seen({ team: [other, bob] }), [note(mine), note(other)], EARLY);
    expect(chosen).toMatchObject({ key: mine, keys: [mine, other, bob], findings: [] });
    expect(chosen.said).toEqual([expect.stringContaining(other.id)]);
    expect(chooseKey(seen({}), [note(mine), note(other)], EARLY).keys).toEqual([mine]);
  });

  it("is one of the team where the clone has carried out nothing", () => {
    const chosen = chooseKey(seen({ project: null, team: [other] }), [note(other)], EARLY);
    expect(chosen).toMatchObject({ key: other, keys: [other], findings: [] });
    expect(chooseKey(seen({ project: null, team: [other] }), [note(mine)], EARLY).findings).toHaveLength(1);
  });

  it("is found where a run that is older than the key is signed with it", () => {
    const keys = seen({ project: other, known: [known(mine, EARLY), known(other, LATE)] });
    expect(chooseKey(keys, [note(other)], "2026-02-01T00:00:00Z").findings).toHaveLength(1);
    expect(chooseKey(keys, [note(other)], "2026-02-28T23:59:58Z").findings, "seen for the first time in it").toEqual(
      [],
    );
  });
});
