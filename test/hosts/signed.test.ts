import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Hosted, hosted, killAt, momentsToDie, RUN } from "./hosted.js";

const TWO = [{ "a.txt": "one\n" }, { "b.txt": "two\n" }];

/** A program that signs as gpg does for git, and counts; what it signs with is wrong for every verifier. */
const SIGNER = `#!/bin/sh
[ -e "$HOME/locked" ] && { echo "gpg: signing failed: No pinentry" >&2; exit 2; }
echo "$*" >> "$HOME/signed"
sum=$(sha256sum | cut -c 1-64)
echo "[GNUPG:] SIG_CREATED " >&2
printf -- "-----BEGIN PGP SIGNATURE-----\\n\\n$sum $$\\n-----END PGP SIGNATURE-----\\n"
`;

async function signing(changes = TWO, isOn = true): Promise<Hosted & { readonly signatures: () => number }> {
  const at = await hosted(changes);
  const home = at.env["HOME"] ?? "";
  const program = join(home, "signer");
  writeFileSync(program, SIGNER, { mode: 0o755 });
  writeFileSync(join(home, "signed"), "");
  for (const [name, value] of [
    ["gpg.program", program],
    ["user.name", "Ada"],
    ["user.email", "ada@localhost"],
    ["commit.gpgSign", String(isOn)],
  ] as const)
    at.git("config", "--global", name, value);
  const signatures = () => readFileSync(join(home, "signed"), "utf8").split("\n").length - 1;
  return { ...at, signatures };
}

const pullOf = ({ host }: Hosted) => {
  const [pull, ...more] = [...host.pulls.values()];
  if (pull === undefined || more.length > 0) throw new Error("there is not one pull request");
  return { ...pull, commit: host.git("rev-parse", pull.head) };
};
const raw = ({ host }: Hosted, commit: string) => host.git("cat-file", "commit", commit);
const isSigned = (at: Hosted, commit: string) => /^gpgsig -----BEGIN PGP SIGNATURE-----$/m.test(raw(at, commit));
/** Author, committer, dates and message of a commit. */
const saidIn = (commit: string) => commit.replaceAll(/^(?:tree|parent|gpgsig| ).*\n/gm, "");

describe("commits of a person whose git signs", () => {
  it("are published as signed copies of those that the log proves, and proven on the copy", async () => {
    const at = await signing();
    const { code, json } = await at.coordinator("publish", RUN);
    const { commit, body } = pullOf(at);
    const last = at.heads.at(-1) ?? "";
    expect([code, json["parts"]]).toMatchObject([0, [{ head: commit, notes: [] }]]);
    expect([isSigned(at, commit), isSigned(at, `${commit}^`), at.signatures()]).toEqual([true, true, 2]);
    expect(at.host.git("rev-parse", `${commit}^{tree}`)).toBe(at.git("rev-parse", `${last}^{tree}`));
    expect(at.host.git("rev-parse", `${commit}~2`)).toBe(at.base);
    const original = at.git("cat-file", "commit", last);
    expect(saidIn(raw(at, commit))).toBe(saidIn(original));
    expect(at.host.statuses.map(({ sha, state }) => [sha, state])).toEqual([[commit, "success"]]);
    expect(body).toContain(`head \`${commit}\``);
    expect(body).toContain(`The log names it as \`${last}\`, which has the same tree.`);
    // The work of the run is where it was.
    expect(at.git("rev-parse", `refs/coord/${RUN}/head`)).toBe(last);
  });

  it("are signed once, however often it is published and killed", async () => {
    const whole = await signing();
    await whole.coordinator("publish", RUN);
    const { commit } = pullOf(whole);
    await whole.coordinator("publish", RUN);
    expect([pullOf(whole).commit, whole.signatures()]).toEqual([commit, 2]);
    for (const moment of momentsToDie(whole.host.seen).slice(0, 2)) {
      const at = await signing();
      await killAt(at, moment, ["publish", RUN]);
      expect((await at.coordinator("publish", RUN)).code).toBe(0);
      expect([at.signatures(), isSigned(at, pullOf(at).commit)]).toEqual([2, true]);
    }
  });

  it("stay as they are where they were published before, and where the person signs no more", async () => {
    const late = await signing(TWO, false);
    await late.coordinator("publish", RUN);
    late.git("config", "--global", "commit.gpgSign", "true");
    expect((await late.coordinator("publish", RUN)).code).toBe(0);
    expect([pullOf(late).commit, late.signatures()]).toEqual([late.heads.at(-1), 0]);
    const early = await signing();
    await early.coordinator("publish", RUN);
    const { commit } = pullOf(early);
    early.git("config", "--global", "commit.gpgSign", "false");
    expect((await early.coordinator("publish", RUN)).code).toBe(0);
    expect(pullOf(early).commit).toBe(commit);
  });

  it("that cannot be signed are not published, and it is said why", async () => {
    const at = await signing();
    const locked = join(at.env["HOME"] ?? "", "locked");
    writeFileSync(locked, "");
    const { code, json } = await at.coordinator("publish", RUN);
    expect([code, json["code"], json["message"]]).toEqual([
      4,
      "PUBLISH_REFUSED",
      expect.stringContaining("could not sign"),
    ]);
    expect([at.host.pulls.size, at.host.git("for-each-ref", "--format=%(refname)")]).toEqual([0, "refs/heads/main"]);
    const { code: shown } = await at.coordinator("publish", RUN, "--dry-run");
    expect([shown, at.signatures()]).toEqual([0, 0]);
  });

  it("are signed in a chain of pull requests, too", async () => {
    const at = await signing();
    expect((await at.coordinator("publish", RUN, "--per-task")).code).toBe(0);
    const tips = [...at.host.pulls.values()].map(({ head }) => at.host.git("rev-parse", head));
    expect(tips.map((tip) => isSigned(at, tip))).toEqual([true, true]);
    expect([at.host.git("rev-parse", `${tips[1]}^`), at.signatures()]).toEqual([tips[0], 2]);
  });
});
