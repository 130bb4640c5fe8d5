import { describe, expect, it } from "vitest";
import { storeIn } from "../cli/run-logs.js";
import { type Hosted, hosted, isWrite, killAt, momentsToDie } from "./hosted.js";

const LABEL = "plan-it";
const BODY = "In a.txt the second line says two. It must say three. Done when a.txt has the line three.";
const WHEN = "2026-03-01T09:00:00Z";

function addIssue({ host }: Hosted, number: number, more: { user?: Hosted["host"]["ada"]; body?: string } = {}): void {
  const { user = host.ada, body = BODY } = more;
  const told = { user, created_at: WHEN, updated_at: WHEN, html_url: "" };
  const labels = [{ name: "bug" }, { name: LABEL }];
  host.issues.set(number, {
    id: 9000 + number,
    number,
    title: `Fix a.txt ${number}`,
    body,
    state: "open",
    labels,
    ...told,
  });
}

async function labelled(more: Readonly<Record<string, unknown>> = {}): Promise<Hosted> {
  const at = await hosted([]);
  at.settings({ plan_label: LABEL, people: { [`github:${at.host.ada.id}`]: { name: "Ada", roles: [] } }, ...more });
  return at;
}

const ours = ({ host }: Hosted) => [...host.comments.values()].filter(({ user }) => user === host.me);

async function runsIn({ cwd }: Hosted): Promise<number> {
  const store = await storeIn(cwd);
  const runs = await store.runs();
  await store.close();
  return runs.length;
}

describe("a label on an issue", () => {
  it("starts no more plans in a day than the settings allow, and none of issues that programs or we wrote", async () => {
    const at = await labelled({ plans_a_day: 2 });
    const bot = { id: 8001, login: "helper[bot]", type: "Bot" } as const;
    addIssue(at, 1, { user: bot });
    addIssue(at, 2, { user: at.host.me });
    for (const number of [3, 4, 5]) addIssue(at, number);
    const states = async () =>
      ((await at.coordinator("sync")).json["labelled"] as { number: number; status: string }[]).map((one) => [
        one.number,
        one.status,
      ]);
    expect(await states()).toEqual([
      [3, "planned"],
      [4, "planned"],
      [5, "held"],
    ]);
    expect(await states()).toEqual([[5, "held"]]);
    expect([ours(at).length, at.host.misfits]).toEqual([2, []]);
    // A person's own order is theirs.
    expect((await at.coordinator("plan", "--issue", `${at.host.url}/ada/app/issues/5`)).code).toBe(3);
  });

  it("has each text of an issue tried once, also one of which no plan can be made", async () => {
    const at = await labelled();
    addIssue(at, 1, { body: "" });
    const issue = at.host.issues.get(1);
    if (issue === undefined) throw new Error("no issue");
    issue.title = "Make it better";
    const first = await at.coordinator("sync");
    expect(first.json["labelled"]).toMatchObject([
      { number: 1, status: "unplanned", reason: expect.any(String) as string },
    ]);
    expect((await at.coordinator("sync")).json["labelled"]).toEqual([]);
    expect(ours(at)).toEqual([]);
    Object.assign(issue, { title: "Fix a.txt", body: BODY });
    expect((await at.coordinator("sync")).json["labelled"]).toMatchObject([{ number: 1, status: "planned" }]);
    expect(ours(at)).toHaveLength(1);
  });

  it("plans once and tells it once, killed before its comment is there or before that is answered", async () => {
    const whole = await labelled();
    addIssue(whole, 1);
    await whole.coordinator("sync");
    expect(whole.host.seen.filter(isWrite)).toHaveLength(1);
    const moments = momentsToDie(whole.host.seen).slice(0, 2);
    expect(moments).toHaveLength(2);
    for (const moment of moments) {
      const at = await labelled();
      addIssue(at, 1);
      await killAt(at, moment, ["sync"]);
      expect((await at.coordinator("sync")).code).toBe(3);
      expect([await runsIn(at), ours(at).length]).toEqual([1, 1]);
    }
  });
});
