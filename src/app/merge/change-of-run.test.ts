import { expect, it } from "vitest";
import { mergeRoles } from "./change-of-run.js";

it("a run is merged as a reviewer of each review, and as no more than that takes", () => {
  const of = (...reviewers: string[]) => ({ reviewers });
  expect(mergeRoles([])).toEqual([]);
  expect(mergeRoles([of("grace", "heidi"), of("ivan"), of("judy", "grace")])).toEqual(["grace", "ivan"]);
  expect(mergeRoles([of()])).toEqual([]);
});
