import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keysAt, teamKeys } from "./team-keys.js";

const newPem = () => generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }) as string;

function newHome() {
  const home = mkdtempSync(join(tmpdir(), "coordinator-keys-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, ".config", "coordinator", "team-keys");
  return { home, folder, environment: { HOME: home } };
}

it("the keys of a team are the *.pem files beside the person's own settings", () => {
  const { folder, environment } = newHome();
  expect(teamKeys(environment)).toEqual([]);
  mkdirSync(folder, { recursive: true });
  const [ada, bob] = [newPem(), newPem()];
  writeFileSync(join(folder, "bob.pem"), bob);
  writeFileSync(join(folder, "ada.pem"), ada);
  writeFileSync(join(folder, "README"), "Keys of the shop's team\n");
  expect(teamKeys(environment).map(({ pem }) => pem)).toEqual([ada, bob]);
  expect(keysAt(join(folder, "bob.pem")).map(({ pem }) => pem)).toEqual([bob]);
});

it("a file without a key, and one that is not there, are said", () => {
  const { home, folder, environment } = newHome();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "ada.pem"), "no key\n");
  expect(() => teamKeys(environment)).toThrow("ada.pem holds no ed25519 public key");
  expect(() => keysAt(join(home, "none.pem"))).toThrow("none.pem cannot be read");
});
