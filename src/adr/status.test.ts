import { describe, expect, it } from "vitest";
import { readStatus } from "./status.js";

describe("readStatus", () => {
  it.each([
    [["Accepted"], "accepted"],
    [["accepted (2024-01-01)"], "accepted"],
    [["Approved."], "accepted"],
    [["Implemented"], "accepted"],
    [["**Accepted** ✅"], "accepted"],
    [["✅"], "accepted"],
    [["~~Proposed~~ Accepted"], "accepted"],
    [["~~Accepted~~", "Deprecated"], "deprecated"],
    [["- [ ] Proposed", "- [x] Accepted", "- [ ] Rejected"], "accepted"],
    [["Proposed on 2024-01-01", "Accepted on 2024-02-01"], "accepted"],
    [["Accepted on 2024-02-01", "Proposed on 2024-01-01"], "accepted"],
    [["Accepted", "", "Superseded by [9. X](0009-x.md)"], "superseded"],
    [["Accepted", "Supersedes ADR-4"], "accepted"],
    [["Amended by ADR-4"], "accepted"],
    [["Partly superseded"], "superseded"],
    [["Accepted, superseded by ADR-9"], "superseded"],
    [["Accepted (replaced by 12)"], "superseded"],
    [["Accepted, and partly superseded by ADR-9"], "accepted"],
    [["Accepted until it is superseded by ADR-9"], "accepted"],
    [["Living"], "accepted"],
    [["Deferred"], "proposed"],
    [["Reverted"], "deprecated"],
    [["Rejected (by design when proposed)"], "rejected"],
    [["Not yet accepted"], "proposed"],
    [["Pending approval"], "proposed"],
    [["In review"], "proposed"],
    [["Draft"], "proposed"],
    [["Withdrawn"], "rejected"],
    [["Obsolete"], "deprecated"],
    [["Vorgeschlagen"], "proposed"],
    [["Abgelehnt"], "rejected"],
    [["Veraltet"], "deprecated"],
    [["Rejeté"], "rejected"],
    [["Brouillon"], "proposed"],
    [["Propuesto"], "proposed"],
    [["Rechazada"], "rejected"],
    [["Proposta"], "proposed"],
    [["Rejeitado"], "rejected"],
    [["Rifiutato"], "rejected"],
    [["Voorgesteld"], "proposed"],
    [["Afgewezen"], "rejected"],
    [["提议中"], "proposed"],
    [["已拒绝"], "rejected"],
    [["已废弃"], "deprecated"],
    [["尚未通过"], "proposed"],
    [["提案中"], "proposed"],
    [["却下"], "rejected"],
    [["非推奨"], "deprecated"],
  ])("reads %j as %s", (lines, status) => {
    expect(readStatus(lines).status).toBe(status);
  });

  it.each([
    [[]],
    [["who knows"]],
    [["Proposed | Accepted | Rejected | Deprecated"]],
    [["{proposed, accepted, deprecated, superseded}"]],
    [["- [ ] Proposed", "- [ ] Accepted"]],
    [["What is the status, such as proposed, accepted, rejected, deprecated, superseded, etc.?"]],
    [["Active or Obsolete (leave a link) or Proposed"]],
    [["Choose one: [Proposed | Accepted | Deprecated]", "If deprecated, include a reason."]],
    [["draft: being written", "accepted: agreed by all", "rejected: not wanted"]],
  ])("finds none in %j", (lines) => {
    expect(readStatus(lines).status).toBeNull();
  });

  it("tells a part from the whole", () => {
    expect(readStatus(["Partially superseded by ADR-4"]).partly).toBe(true);
    expect(readStatus(["Superseded by ADR-4"]).partly).toBe(false);
  });
});
