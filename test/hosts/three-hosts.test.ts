import { describe, expect, it } from "vitest";
import { giteaApi } from "../../src/testing/hosts/gitea-api.js";
import { githubApi } from "../../src/testing/hosts/github-api.js";
import { gitlabApi } from "../../src/testing/hosts/gitlab-api.js";
import { ordersIn } from "./acts.js";
import { type Hosted, hosted, isWrite, killAt, momentsToDie, passLimits, RUN } from "./hosted.js";

/* What must hold at each kind of host, by the same tests: published once, an issue in, approval by comment, remarks. */

const SAID = "In a.txt the second line must say three. Done when a.txt has the line three.";
const ISSUE = "/issues/12";

function knowAda(at: Hosted, more: Readonly<Record<string, unknown>> = {}): void {
  at.settings({ people: { [`${at.host.kind}:${at.host.ada.id}`]: { name: "Ada", roles: [] } }, ...more });
}

function withIssue(at: Hosted): string {
  const when = "2026-03-01T09:00:00Z";
  const html_url = `${at.host.url}/${at.host.repository}${at.host.kind === "gitlab" ? "/-" : ""}${ISSUE}`;
  const told = { user: at.host.ada, created_at: when, updated_at: when, html_url };
  at.host.issues.set(12, { id: 9012, number: 12, title: "Fix a.txt", body: SAID, state: "open", labels: [], ...told });
  knowAda(at);
  return html_url;
}

const ours = ({ host }: Hosted) => [...host.comments.values()].filter(({ user }) => user === host.me);

describe.each([githubApi, gitlabApi, giteaApi])("%o", (makeApi) => {
  const begin = (changes?: Parameters<typeof hosted>[0]) => hosted(changes, undefined, makeApi);

  function expectOnce({ host, heads }: Hosted): void {
    expect(host.misfits).toEqual([]);
    const pulls = [...host.pulls.values()].map(({ state, draft, head }) => [state, draft, host.git("rev-parse", head)]);
    expect(pulls).toEqual([["open", true, heads.at(-1)]]);
    expect(host.statuses.map(({ sha, state }) => [sha, state])).toEqual([[heads.at(-1), "success"]]);
  }

  it("publishes once, though it is killed at any request and asked again", async () => {
    const whole = await begin();
    const { code, json } = await whole.coordinator("publish", RUN);
    expect([code, json["status"], whole.host.misfits]).toEqual([0, "published", []]);
    const [pull] = [...whole.host.pulls.values()];
    expect(ordersIn(pull?.title ?? "@nobody")).toEqual([]);
    const { length } = whole.host.seen.filter(isWrite);
    const again = await whole.coordinator("publish", RUN);
    expect([again.code, whole.host.seen.filter(isWrite).length]).toEqual([0, length]);
    expectOnce(whole);
    // GitHub's every moment is in publish.test.ts; here the one after which a second pull request would be easiest.
    const created = whole.host.seen.find(
      ({ path, method }) => method === "POST" && /(?:pulls|merge_requests)$/.test(path),
    );
    const moments = momentsToDie(whole.host.seen).filter(([step, when]) => step === created?.index && when === "after");
    expect(moments).toHaveLength(1);
    for (const moment of moments) {
      const at = await begin();
      await killAt(at, moment, ["publish", RUN]);
      expect((await at.coordinator("publish", RUN)).code).toBe(0);
      expectOnce(at);
    }
  });

  it("finds what a request made whose answer was lost, and waits where the host limits or fails", async () => {
    const at = await begin();
    let faults = 0;
    at.host.fault = (seen) => (seen.isApi && isWrite(seen) && faults++ === 0 ? "lose_answer" : undefined);
    expect((await at.coordinator("publish", RUN)).code).toBe(0);
    expectOnce(at);
    const limited = await begin();
    const fault = { status: 429, headers: { "retry-after": "120" } };
    limited.host.fault = (seen) => (seen.isApi && isWrite(seen) ? fault : undefined);
    const waiting = await limited.coordinator("publish", RUN);
    expect([waiting.code, (waiting.json["waits"] as { until: string | null }).until]).toEqual([3, expect.any(String)]);
    limited.host.fault = () => undefined;
    expect(passLimits(limited)).toBe(true);
    expect((await limited.coordinator("publish", RUN)).code).toBe(0);
    expectOnce(limited);
  });

  it("plans an issue in one comment, which an unedited comment of somebody who may approves", async () => {
    const at = await begin([]);
    const address = withIssue(at);
    const first = await at.coordinator("plan", "--issue", address);
    expect([first.code, first.json["status"], at.host.misfits]).toEqual([3, "waiting", []]);
    const typed = `/coordinator approve ${(first.json["plan_checksum"] as string).slice(0, 12)}`;
    expect(ours(at).map(({ body }) => body.includes(typed))).toEqual([true]);
    at.host.comment(12, at.host.me, typed);
    at.host.comment(12, at.host.ada, typed).updated_at = "2026-03-09T09:00:00Z";
    at.host.rights.set("ada", "read");
    at.host.comment(12, at.host.ada, typed);
    expect((await at.coordinator("sync")).code).toBe(3);
    at.host.rights.set("ada", "write");
    const taken = await at.coordinator("sync");
    expect([taken.code, taken.json["issues"]]).toMatchObject([
      0,
      [{ status: "approved", by: `Ada (${at.host.kind}:${at.host.ada.id})` }],
    ]);
    expect(ours(at).filter(({ body }) => body.includes("Approved by"))).toHaveLength(1);
    expect(at.host.misfits).toEqual([]);
  });

  it("plans an issue with the label that the settings name, once, and takes the label for no approval", async () => {
    const at = await begin([]);
    withIssue(at);
    const [issue] = [...at.host.issues.values()];
    knowAda(at, { plan_label: "for coordinator" });
    expect((await at.coordinator("sync")).json["labelled"]).toEqual([]);
    issue?.labels.push({ name: "for coordinator" });
    const first = await at.coordinator("sync");
    expect([first.code, first.json["labelled"]]).toEqual([3, [{ number: 12, status: "planned", reason: null }]]);
    const again = await at.coordinator("sync");
    expect([again.json["labelled"], again.json["issues"]]).toMatchObject([[], [{ number: 12, status: "waiting" }]]);
    expect([ours(at).length, at.host.misfits]).toEqual([1, []]);
  });

  it("is not stopped by a pull request from a branch of the same name in a fork", async () => {
    const at = await begin();
    const draft = await at.coordinator("publish", RUN, "--dry-run");
    const [{ branch: head, body }] = draft.json["drafts"] as [{ branch: string; body: string }];
    const foreign = { title: "mine", body, state: "open", merged_at: null, draft: false, html_url: "" } as const;
    at.host.pulls.set(1, { ...foreign, number: 1, user: at.host.ada, head, base: "main", fork: "eve/app" });
    expect([(await at.coordinator("publish", RUN)).code, at.host.pulls.size]).toEqual([0, 2]);
  });

  it("plans a remark in one comment on the pull request, and shows a red check", async () => {
    const at = await begin();
    knowAda(at, { follow_up: "plan" });
    await at.coordinator("publish", RUN);
    const [pull] = [...at.host.pulls.values()];
    at.host.remark(pull?.number ?? 0, at.host.ada, "a.txt", 2, SAID);
    const { code, json } = await at.coordinator("sync");
    expect([code, json["follow_ups"]]).toMatchObject([3, [{ round: 1, status: "waiting", pull: pull?.number }]]);
    const again = await at.coordinator("sync");
    expect([again.json["follow_ups"], ours(at).length, at.host.misfits]).toEqual([json["follow_ups"], 1, []]);
    expect(ours(at)[0]?.on).toBe(at.host.kind === "gitlab" ? "pull" : "issue");
  });

  it("says clearly what is wrong with an issue that is gone, a right, and a pull request that was closed", async () => {
    const at = await begin();
    const address = withIssue(at);
    const failure = async (...args: string[]) => {
      const { code, json } = await at.coordinator(...args);
      return [code, json["code"], typeof json["fix"]];
    };
    expect(await failure("plan", "--issue", address.replace(/12$/, "13"))).toEqual([4, "CODE_HOST_REFUSED", "string"]);
    expect(await failure("plan", "--issue", "https://example.com/ada/app/issues/12")).toEqual([
      2,
      "CODE_HOST_UNKNOWN",
      "string",
    ]);
    at.host.rights.set(at.host.me.login, "read");
    expect(await failure("publish", RUN)).toEqual([4, "CODE_HOST_REFUSED", "string"]);
    const { json } = await at.coordinator("doctor");
    expect(JSON.stringify(json)).toContain("lacks the right to push");
    at.host.rights.set(at.host.me.login, "write");
    expect(at.host.pulls.size).toBe(0);
    await at.coordinator("publish", RUN);
    for (const pull of at.host.pulls.values()) pull.state = "closed";
    expect(await failure("publish", RUN)).toEqual([3, "PULL_CLOSED", "string"]);
    expect([at.host.pulls.size, at.host.misfits]).toEqual([1, []]);
  });
});
