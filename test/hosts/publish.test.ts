import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type IssueRecord, writeIssueOfRun } from "../../src/app/hosts/issue-records.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { coordinator, snapshot } from "../cli/program.js";
import { type Hosted, hosted, isWrite, killAt, momentsToDie, passLimits, RUN } from "./hosted.js";
import type { Seen } from "../../src/testing/hosts/stand-in.js";

const isApiWrite = (seen: Seen) => isWrite(seen) && seen.path.startsWith("/repos");
const partOf = (json: Record<string, unknown>) =>
  (json["parts"] as { branch: string; how: string; notes: string[] }[])[0];
const when = "2026-03-01T09:00:00Z";
const ISSUE: Omit<IssueRecord, "server" | "repository"> = {
  schema_version: "1.0.0",
  run_id: RUN,
  number: 12,
  issue_id: 9012,
  author: null,
  title: "Fix it",
  body: "",
  created_at: when,
  updated_at: when,
  read_at: when,
  checksum: "",
  removed: [],
  plan_checksum: "",
  comment: null,
  told_at: null,
  risk: null,
  approved_by: null,
  approval: null,
};
const TWO = [{ "a.txt": "one\n" }, { "b.txt": "two\n" }];

/** What must hold however often and however badly it went before: one of each, on the right commit. */
function expectOnce({ host, heads }: Hosted): void {
  expect(host.misfits).toEqual([]);
  const [pull, ...more] = [...host.pulls.values()];
  expect([more.length, pull?.state, pull?.draft]).toEqual([0, "open", true]);
  expect(host.git("rev-parse", pull?.head ?? "")).toBe(heads.at(-1));
  expect(host.git("for-each-ref", "--format=%(refname)").split("\n")).toHaveLength(2);
  expect(host.statuses.map(({ sha, state }) => [sha, state])).toEqual([[heads.at(-1), "success"]]);
}

describe("coordinator publish", () => {
  it("pushes a branch, opens one draft pull request and a status on its head, and does nothing more when asked again", async () => {
    const at = await hosted();
    const { host, heads } = at;
    const { code, json, stderr } = await at.coordinator("publish", "last");
    expect([code, stderr, host.misfits]).toEqual([0, "", []]);
    const [pull] = [...host.pulls.values()];
    expect(partOf(json)).toMatchObject({ head: heads[0], pull: pull?.number, how: "created", notes: [] });
    expect(pull).toMatchObject({ draft: true, base: "main", state: "open" });
    expect(pull?.body).toContain(`<!-- coordinator:${RUN}:whole -->`);
    expect(pull?.body).toContain(`checksum \`${"a".repeat(64)}\``);
    expect(pull?.body).toContain(`head \`${heads[0]}\``);
    expect(pull?.body).toContain(`coordinator verify ${RUN}`);
    expectOnce(at);
    const before = host.seen.filter(isWrite).length;
    const again = await at.coordinator("publish", "last");
    expect([again.code, partOf(again.json)?.how]).toEqual([0, "adopted"]);
    expect(host.seen.filter(isWrite).length).toBe(before);
    expectOnce(at);
  });

  it("killed at any request, before it is done or before it is answered, makes nothing twice and loses nothing", async () => {
    const whole = await hosted();
    await whole.coordinator("publish", RUN);
    const moments = momentsToDie(whole.host.seen);
    expect(whole.host.seen.filter(isWrite).length).toBe(3);
    for (const moment of moments) {
      const at = await hosted();
      await killAt(at, moment, ["publish", RUN]);
      expect((await at.coordinator("publish", RUN)).code).toBe(0);
      expectOnce(at);
    }
  });

  it("two at once make one of each", async () => {
    const at = await hosted();
    const ended = await Promise.all([at.coordinator("publish", RUN), at.coordinator("publish", RUN)]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(new Set(ended.map(({ json }) => partOf(json)?.how))).toEqual(new Set(["adopted", "created"]));
    expectOnce(at);
    // The second begins to look when the first has written all it had to.
    const { seen } = at.host;
    const begun = seen.filter(({ path }) => path === "/user").map(({ index }) => index);
    expect(begun[1]).toBeGreaterThan(seen.findLast(isWrite)?.index ?? Infinity);
  });

  it("finds what a request made whose answer was lost, and makes it when the request never arrived", async () => {
    for (const fault of ["lose_answer", "refuse"] as const) {
      const at = await hosted();
      let faults = 0;
      at.host.fault = (seen) => (isApiWrite(seen) && faults++ === 0 ? fault : undefined);
      const first = await at.coordinator("publish", RUN);
      expect([fault, first.code]).toEqual([fault, fault === "refuse" ? 3 : 0]);
      expect((await at.coordinator("publish", RUN)).code).toBe(0);
      expectOnce(at);
    }
  });

  it("waits where the host limits the login or fails, asks nothing before it may, and goes on from there", async () => {
    const reset = Math.floor(Date.now() / 1000) + 3600;
    const faults = [
      { status: 429, headers: { "retry-after": "120" } },
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) } },
      { status: 502 },
    ];
    for (const fault of faults) {
      const at = await hosted();
      at.host.fault = (seen) => (isApiWrite(seen) ? fault : undefined);
      const { code, json } = await at.coordinator("publish", RUN);
      const { until } = json["waits"] as { until: string | null };
      expect([code, json["status"], until === null]).toEqual([3, "waiting", fault.status === 502]);
      if (fault.status === 403) expect(until).toBe(new Date(reset * 1000).toISOString());
      at.host.fault = () => undefined;
      if (until !== null) {
        const asked = at.host.seen.length;
        const early = await at.coordinator("publish", RUN);
        const api = at.host.seen.slice(asked).filter(({ isApi }) => isApi);
        expect([early.code, api, (early.json["waits"] as { until: string }).until]).toEqual([3, [], until]);
        expect(passLimits(at)).toBe(true);
      }
      expect((await at.coordinator("publish", RUN)).code).toBe(0);
      expectOnce(at);
    }
  });

  it("that waits stands in the inbox, and sync sends it as it was ordered", async () => {
    const at = await hosted(TWO);
    at.host.fault = (seen) => (isApiWrite(seen) ? { status: 503 } : undefined);
    expect((await at.coordinator("publish", RUN, "--per-task", "--ready")).code).toBe(3);
    const inbox = await at.coordinator("inbox");
    expect([inbox.code, inbox.json["to_send"]]).toMatchObject([3, [{ run_id: RUN, command: "coordinator sync" }]]);
    expect((await coordinator(["inbox"], at)).stdout).toContain("1 pull request to send");
    const still = await at.coordinator("sync");
    expect([still.code, still.json["sent"]]).toMatchObject([3, [{ run_id: RUN, status: "waiting" }]]);
    at.host.fault = () => undefined;
    const sent = await at.coordinator("sync");
    expect([sent.code, sent.json["sent"]]).toEqual([0, [{ run_id: RUN, status: "published", reason: null }]]);
    expect([...at.host.pulls.values()].map(({ draft }) => draft)).toEqual([false, false]);
    expect((await at.coordinator("sync")).json["sent"]).toEqual([]);
    expect((await at.coordinator("inbox")).json["to_send"]).toEqual([]);
  });

  it("that waits and is refused by now says why in the inbox, and stops nothing else", async () => {
    const at = await hosted();
    at.host.fault = (seen) => (isApiWrite(seen) ? { status: 503 } : undefined);
    await at.coordinator("publish", RUN);
    at.host.fault = () => undefined;
    at.host.rights.set(at.host.me.login, "read");
    const refused = await at.coordinator("sync");
    expect([refused.code, refused.json["sent"]]).toMatchObject([3, [{ run_id: RUN, status: "refused" }]]);
    const [waiting] = (await at.coordinator("inbox")).json["to_send"] as [{ reason: string }];
    expect(waiting.reason).toMatch(/403.*Give the token the right/);
  });

  it("leaves a branch alone that a person pushed to, and a text that a person edited", async () => {
    const at = await hosted();
    await at.coordinator("publish", RUN);
    const [pull] = [...at.host.pulls.values()];
    if (pull === undefined) throw new Error("no pull request");
    pull.body += "\nA word of mine.";
    const edited = await at.coordinator("publish", RUN);
    expect([edited.code, partOf(edited.json)?.notes[0]]).toEqual([0, expect.stringContaining("edited by a person")]);
    expect(pull.body).toContain("A word of mine.");
    at.git("checkout", "-q", "-b", "theirs", at.heads[0] ?? "");
    writeFileSync(join(at.cwd, "a.txt"), "a person was here\n");
    at.git("commit", "-qam", "by hand");
    at.git("push", "-q", at.host.folder, `HEAD:refs/heads/${pull.head}`);
    const tip = at.git("rev-parse", "HEAD");
    const { code, json } = await at.coordinator("publish", RUN);
    expect([code, json["code"], json["message"]]).toEqual([
      4,
      "PUBLISH_REFUSED",
      expect.stringContaining("somebody pushed"),
    ]);
    expect(at.host.git("rev-parse", pull.head)).toBe(tip);
  });

  it("asks when a person closed the pull request, and says so when it was merged", async () => {
    const at = await hosted();
    await at.coordinator("publish", RUN);
    const [pull] = [...at.host.pulls.values()];
    if (pull === undefined) throw new Error("no pull request");
    pull.state = "closed";
    const closed = await at.coordinator("publish", RUN);
    expect([closed.code, closed.json["code"]]).toEqual([3, "PULL_CLOSED"]);
    pull.merged_at = "2026-03-02T10:00:00Z";
    const merged = await at.coordinator("publish", RUN);
    expect([merged.code, partOf(merged.json)?.how, at.host.pulls.size]).toEqual([0, "merged", 1]);
  });

  it("takes no pull request for its own because somebody copied the marker", async () => {
    const at = await hosted();
    const draft = await at.coordinator("publish", RUN, "--dry-run");
    const [{ branch, body }] = draft.json["drafts"] as [{ branch: string; body: string }];
    expect([draft.code, at.host.seen]).toEqual([0, []]);
    const { ada, pulls } = at.host;
    pulls.set(1, {
      number: 1,
      title: "mine",
      body,
      state: "open",
      merged_at: null,
      draft: false,
      user: ada,
      html_url: "",
      head: branch,
      base: "main",
    });
    const { code, json } = await at.coordinator("publish", RUN);
    expect([code, json["code"], pulls.get(1)?.title, pulls.size]).toEqual([4, "PUBLISH_REFUSED", "mine", 1]);
  });

  it("closes the issue it came from by a line that is read back, and says when that will not happen", async () => {
    const at = await hosted();
    writeIssueOfRun(stateFolder(at.cwd), { ...ISSUE, server: at.host.server, repository: at.host.repository });
    const notes = async (...args: string[]) => partOf((await at.coordinator("publish", RUN, ...args)).json)?.notes;
    expect(await notes()).toEqual([]);
    const [pull] = [...at.host.pulls.values()];
    if (pull === undefined) throw new Error("no pull request");
    expect(pull.body).toMatch(/^Closes #12$/m);
    pull.body = pull.body.replace(/^Closes #12$/m, "See `#12`.");
    expect((await notes())?.at(-1)).toBe("#12 will stay open: the line that closes it was taken out");
    at.git("push", "-q", at.host.folder, "main:refs/heads/next");
    expect(await notes("--into", "next", "--branch", "other")).toEqual([
      "#12 will stay open: next is not the default branch, which is main",
    ]);
  });

  it("opens a chain of pull requests, one for each task", async () => {
    const at = await hosted(TWO);
    const { code } = await at.coordinator("publish", RUN, "--per-task", "--ready");
    const pulls = [...at.host.pulls.values()];
    expect([code, pulls.map(({ draft }) => draft)]).toEqual([0, [false, false]]);
    expect(pulls.map(({ base }) => base)).toEqual(["main", pulls[0]?.head]);
    expect(pulls.map(({ head }) => at.host.git("rev-parse", head))).toEqual(at.heads);
    expect((await at.coordinator("publish", RUN, "--per-task")).code).toBe(0);
    expect(at.host.pulls.size).toBe(2);
  });

  it("refuses, before anything is sent, a workflow that the plan does not name", async () => {
    for (const path of [".github/workflows/ci.yaml", ".gitlab-ci.yml", ".forgejo/workflows/ci.yaml"]) {
      const at = await hosted([{ [path]: "on: push\n" }]);
      const { code, json } = await at.coordinator("publish", RUN);
      expect([code, json["code"], at.host.seen]).toEqual([4, "PUBLISH_REFUSED", []]);
    }
  });

  it("says clearly what is wrong with a template, a host, a login, a right and a protected branch", async () => {
    const at = await hosted();
    const failure = async (...args: string[]) => {
      const { code, json } = await at.coordinator("publish", RUN, ...args);
      return [code, json["code"], typeof json["fix"]];
    };
    at.settings({ branch: "{task}..{slug}" });
    expect(await failure()).toEqual([2, "BRANCH_INVALID", "string"]);
    at.settings({ servers: {} });
    expect(await failure()).toEqual([2, "CODE_HOST_UNKNOWN", "string"]);
    at.settings({ remote: "upstream" });
    expect(await failure()).toEqual([2, "CODE_HOST_UNKNOWN", "string"]);
    at.settings({});
    at.host.rights.set(at.host.me.login, "read");
    expect(await failure()).toEqual([4, "CODE_HOST_REFUSED", "string"]);
    at.host.rights.set(at.host.me.login, "write");
    writeFileSync(
      join(at.host.folder, "hooks", "update"),
      '#!/bin/sh\ncase "$1" in *guarded*) echo "GH006: Protected branch" >&2; exit 1;; esac\n',
      { mode: 0o755 },
    );
    expect(await failure("--branch", "guarded")).toEqual([4, "PUBLISH_REFUSED", "string"]);
    expect(at.host.pulls.size).toBe(0);
  });

  it("shows the token to nobody", async () => {
    const at = await hosted();
    at.host.fault = (seen) =>
      isApiWrite(seen) ? { status: 400, body: { message: `you sent ${at.host.token}` } } : undefined;
    const { code, stdout, stderr } = await at.coordinator("publish", RUN);
    expect(code).toBe(4);
    expect(`${stdout}${stderr}`).not.toContain(at.host.token);
    at.host.fault = () => undefined;
    await at.coordinator("publish", RUN);
    const kept = Object.values(snapshot(join(at.cwd, ".coordinator"))).map((bytes) =>
      Buffer.from(bytes, "base64").toString("latin1"),
    );
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.filter((text) => text.includes(at.host.token))).toEqual([]);
  });
});
