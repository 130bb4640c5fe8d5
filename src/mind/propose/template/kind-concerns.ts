import type { Proposal } from "../../../model/proposal.js";
import type { KindOfWork } from "./kind-of-work.js";

/* Concerns of every request of a kind: acceptance criteria and risks. */

interface KindConcern {
  readonly criteria: readonly string[];
  readonly risk: Proposal["risks"][number];
}

const low = (risk: string, mitigation: string): Proposal["risks"][number] => ({ risk, severity: "low", mitigation });

export const KIND_CONCERNS: Readonly<Record<KindOfWork, KindConcern>> = {
  feature: {
    criteria: ["A test passes with the new behaviour and fails without it.", "Existing callers keep working."],
    risk: low(
      "New behaviour may change what existing callers get.",
      "The tests that are there are run before and after; the plan writes tests of its own.",
    ),
  },
  new_project: {
    criteria: ["A clean checkout installs, builds and passes at least one test."],
    risk: low(
      "Choices made while the ground is laid are hard to change later.",
      "The ground is a task of its own, so that a person can look at it before anything is built on it.",
    ),
  },
  bugfix: {
    criteria: ["A test shows the defect: it fails on the code as it was and passes on the result."],
    risk: low(
      "The visible symptom may be removed and its cause left.",
      "The test is written first and has to fail because of the defect.",
    ),
  },
  vulnerability: {
    criteria: ["A test shows the weakness: it fails on the code as it was and passes on the result."],
    risk: {
      risk: "A half-closed weakness looks closed.",
      severity: "high",
      mitigation: "A person reviews it before it is merged.",
    },
  },
  refactoring: {
    criteria: ["Every test that passed before passes unchanged."],
    risk: low(
      "Behaviour that no test covers may change unnoticed.",
      "The structure is changed in small steps, and the tests are run after each.",
    ),
  },
  tests: {
    criteria: ["The new tests pass, and fail when the behaviour they test is broken."],
    risk: low("Tests may repeat what the code does instead of what it should do.", "Product code is not changed."),
  },
  docs: {
    criteria: ["Every statement and example agrees with the code."],
    risk: low("A page may describe what the code no longer does.", "Statements are checked against the code."),
  },
  research: {
    criteria: ["The report names its sources, the options with their costs, a recommendation and what stays open."],
    risk: low("Findings may rest on sources that are out of date.", "The report says where each finding comes from."),
  },
  dependencies: {
    criteria: ["The lockfile fits the manifest, and all checks pass with the new versions."],
    risk: low(
      "A new version may behave differently where no test looks.",
      "Versions are raised together with the lockfile, and all checks are run.",
    ),
  },
  pipelines: {
    criteria: ["The pipeline passes on a clean checkout."],
    risk: low(
      "A pipeline can only be tried where it runs.",
      "What it runs is run here as a check, as far as possible.",
    ),
  },
  infrastructure: {
    criteria: ["The code can be planned or built without being applied."],
    risk: low("What it does shows only when it is applied.", "Nothing is applied by the run; a person does that."),
  },
  migration: {
    criteria: [
      "The migration can run twice without harm.",
      "The way back restores the earlier schema and keeps rows added since.",
    ],
    risk: {
      risk: "Stored data outlives the code that changes it.",
      severity: "high",
      mitigation: "A person reviews it before it is merged.",
    },
  },
  release: {
    criteria: ["The version is the same everywhere it is written, and the changelog names what changed."],
    risk: low("A version that is published cannot be taken back.", "The run publishes nothing."),
  },
};
