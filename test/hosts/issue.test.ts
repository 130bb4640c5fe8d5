import { describe, expect, it } from "vitest";
import { type Hosted, hosted } from "./hosted.js";

const TITLE = "Fix the typo in a.txt";
const BODY = "In a.txt the second line says two. It must say three. Done when a.txt has the line three.";

function withIssue(at: Hosted, body = BODY): string {
  const { host } = at;
  const when = "2026-03-01T09:00:00Z";
  const html_url = `${host.url}/${host.repository}/issues/12`;
  host.issues.set(12, {
    id: 9012,
    number: 12,
    title: TITLE,
    body,
    user: host.ada,
    state: "open",
    labels: [{ name: "approved" }],
    created_at: when,
    updated_at: when,
    html_url,
  });
  at.settings({ people: { [`github:${host.ada.id}`]: { name: "Ada", roles: [] } } });
  return html_url;
}

const comments = ({ host }: Hosted) => [...host.comments.values()].filter(({ user }) => user === host.me);
const checksumIn = (json: Record<string, unknown>) => (json["plan_checksum"] as string).slice(0, 12);

describe("coordinator plan --issue", () => {
  it("tells the plan in one comment, waits, and is approved by an unedited comment of somebody who may at that moment", async () => {
    const at = await hosted([]);
    const address = withIssue(at);
    const { host } = at;
    const first = await at.coordinator("plan", "--issue", address);
    expect([first.code, first.json["status"], host.misfits]).toEqual([3, "waiting", []]);
    const typed = checksumIn(first.json);
    expect(comments(at)).toHaveLength(1);
    expect(comments(at)[0]?.body).toContain(`/coordinator approve ${typed}`);
    // Neither a label, nor ourselves, nor a program, nor an unknown account, nor an edit, nor another checksum approves.
    const bot = { id: 8001, login: "helper[bot]", type: "Bot" } as const;
    const eve = { id: 8002, login: "eve", type: "User" } as const;
    host.accounts.push(bot, eve);
    host.rights.set("eve", "admin");
    const approve = `/coordinator approve ${typed}`;
    host.comment(12, host.me, approve);
    host.comment(12, bot, approve);
    host.comment(12, eve, approve);
    host.comment(12, host.ada, `> ${approve}`);
    host.comment(12, host.ada, "/coordinator approve 000000000000");
    host.comment(12, host.ada, approve).updated_at = "2026-03-09T09:00:00Z";
    const none = await at.coordinator("sync");
    const [issue] = none.json["issues"] as [{ status: string; refused: string[] }];
    expect([none.code, issue.status, issue.refused.length]).toEqual([3, "waiting", 4]);
    // The right is asked when it is used.
    const real = host.comment(12, host.ada, `Fine.\n${approve}`);
    host.rights.set("ada", "read");
    expect((await at.coordinator("sync")).code).toBe(3);
    host.rights.set("ada", "write");
    // The number counts: somebody else under the same name has no part in it.
    const { id } = host.ada;
    const [ada] = host.accounts;
    host.accounts[0] = { ...host.ada, id: 1 };
    expect((await at.coordinator("sync")).code).toBe(3);
    if (ada !== undefined) host.accounts[0] = ada;
    const taken = await at.coordinator("sync");
    expect([taken.code, taken.json["issues"]]).toMatchObject([0, [{ status: "approved", by: `Ada (github:${id})` }]]);
    expect(comments(at)[0]?.body).toContain("Approved by");
    expect(comments(at).filter(({ body }) => body.includes("### Plan"))).toHaveLength(1);
    expect(real.body).toContain(approve);
    const { json } = await at.coordinator("status", first.json["run_id"] as string);
    expect(JSON.stringify(json)).not.toContain("plan_approval");
  });
});
