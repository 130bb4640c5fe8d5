// A rule of your own: four lines decide what no agent may do, whatever it is told, and who is told why.
import assert from "node:assert/strict";
import { story } from "../story.mjs";

const { tell, show, coordinator, git, commit } = story(import.meta.url);
commit("A shop");

tell("The rule, in governance/registry/rules/billing.yaml, is type-checked like code:");
const checked = coordinator("registry", "check");
assert.equal(checked.status, 0, checked.stdout + checked.stderr);
show(checked.stdout);

tell("What it forbids is not planned, and nothing runs:");
const refused = coordinator(
  "run",
  "Raise the discount in billing/discount.mjs to 20 percent",
  "--yes",
  "--agent",
  "scripted",
);
assert.equal(refused.status, 4, refused.stdout + refused.stderr);
show(
  refused.stdout
    .split("\n")
    .filter((line) => /deny|Money/.test(line))
    .join("\n"),
);
assert.match(refused.stdout, /deny_billing/);
assert.match(refused.stdout, /Money moves through billing/);

tell("All else goes on as before:");
const planned = coordinator("plan", "Let greet in src/greet.mjs say good evening");
assert.equal(planned.status, 0, planned.stdout + planned.stderr);
show(planned.stdout.trim().split("\n").at(-1));
assert.equal(git("for-each-ref", "refs/coord"), "", "nothing ran");
