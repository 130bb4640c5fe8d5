import { describe, expect, it } from "vitest";
import { message } from "../../src/app/run/orders.js";
import { NEW_RUN } from "../../src/mind/run/state.js";
import { markerOf, isOurs } from "../../src/mind/publish/marker.js";
import { PROOF, runTask } from "../../src/testing/run-fixtures.js";
import { EVIL, ordersIn } from "./acts.js";
import { hosted, RUN } from "./hosted.js";

describe("words of people and agents on a host", () => {
  it("are orders to a host where they are not quoted", () => {
    expect(ordersIn(EVIL)).toEqual(expect.arrayContaining(["#3", "ada/app#4", "GH-5", "@ada", "[skip ci]"]));
    expect(ordersIn(EVIL)).toContain("/merge now");
    expect(ordersIn("`@ada` and ``closes #3``\n```text\n@eve\n```\n| `#4` |")).toEqual([]);
  });

  it("close nothing, mention nobody and order nothing in a pull request: as the request, titles, or what was let pass", async () => {
    const at = await hosted(undefined, EVIL);
    const { code } = await at.coordinator("publish", RUN);
    const [pull] = [...at.host.pulls.values()];
    expect([code, at.host.misfits]).toEqual([0, []]);
    // Our own marker, and nothing else.
    expect(ordersIn(pull?.body ?? "@nobody")).toEqual([markerOf(RUN, "whole")]);
    expect(pull?.body).toContain("closes #9");
    expect(ordersIn(pull?.title ?? "@nobody")).toEqual([]);
    expect(pull?.title).toContain("no. 3");
    expect(at.host.statuses.flatMap(({ description }) => ordersIn(description))).toEqual([]);
    expect((await at.coordinator("publish", RUN)).code).toBe(0);
    expect(at.host.pulls.size).toBe(1);
  });

  it("order nothing in the commits of a run", () => {
    const accepted = [{ kind: "untested" as const, id: EVIL, message: EVIL, by: "Ada", not_applicable: false }];
    const said = message(
      { runId: RUN, state: NEW_RUN } as Parameters<typeof message>[0],
      runTask("A", { title: EVIL }),
      { attempt: 1, verdict: { verdict: "PASS", ...PROOF, accepted } as never, waivers: [] },
    );
    expect(ordersIn(said)).toEqual([]);
    expect(said).toContain("no. 3");
    expect(said.split("\n\n")).toHaveLength(2);
  });

  it("are not taken for a marker of ours, though our account sent them", () => {
    const marker = markerOf(RUN, "whole");
    const text = (body: string) => isOurs({ body, author: { id: 7 } }, marker, 7);
    expect([text(`words\r\n${marker}\r\n`), text(`| ${marker}`), text(`\`${marker}\``)]).toEqual([true, false, false]);
  });
});
