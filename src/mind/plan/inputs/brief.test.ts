import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Brief, BriefDraft, type IntentSpec } from "../../../model/intent-spec.js";
import { briefProblems, sealBrief } from "./brief.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const SPEC: IntentSpec = {
  schema_version: "1.0.0",
  id: "IS-export",
  version: "1.0.0",
  objective: "People can take their list with them.",
  requirements: [
    {
      id: "REQ-1",
      description: "There is an export.",
      verification: { kind: "file_exists", path: "src/export.ts", exists: true },
      source: "request: export",
      priority: "must_have",
    },
  ],
  constraints: [],
  out_of_scope: ["Import"],
  assumptions: [],
  context_refs: ["docs/style.md"],
};
const DRAFT = BriefDraft.parse({
  request: "Make an export",
  spec: SPEC,
  documents: [{ ref: "docs/style.md", text: "Short words.\n" }],
});

describe("a brief", () => {
  it("gets the checksums it lacks, and is whole then", () => {
    const brief = sealBrief(DRAFT, sha256);
    expect(Brief.parse(brief)).toEqual(brief);
    expect(briefProblems(brief, sha256)).toEqual([]);
    expect(sealBrief(brief, sha256)).toEqual(brief);
  });

  it("has a checksum of its spec that does not go by the order of fields", () => {
    const turned = Object.fromEntries(Object.entries(SPEC).toReversed()) as IntentSpec;
    expect(sealBrief({ ...DRAFT, spec: turned }, sha256).spec?.checksum).toBe(sealBrief(DRAFT, sha256).spec?.checksum);
  });

  it("tells everything that is not what its checksum says, and every name that is there twice", () => {
    const brief = sealBrief(DRAFT, sha256);
    const [document] = brief.documents;
    const [requirement] = SPEC.requirements;
    if (document === undefined || requirement === undefined || brief.spec === null) throw new Error("not whole");
    const spec = { ...SPEC, requirements: [requirement, requirement] };
    const changed: Brief = {
      ...brief,
      spec: { ...brief.spec, spec },
      documents: [{ ...document, text: "Long words.\n" }, document],
    };
    expect(briefProblems(changed, sha256).map(({ path, message }) => `${path} ${message}`)).toEqual([
      "spec.checksum is not the checksum of IS-export",
      "spec.requirements have REQ-1 twice",
      "documents[0].checksum is not the checksum of docs/style.md",
      "documents have docs/style.md twice",
    ]);
  });
});
