import type { ProposedTask } from "../../../model/proposal.js";
import { type Places, testsOf } from "./template-places.js";
import type { Scaffold } from "./scaffolds.js";

/* Templates: the workflow each belongs to, and its tasks, each after the one before. */

export interface TemplateTask {
  /** The beginning of its id. */
  readonly verb: string;
  /** The beginning of its title; the request's own title follows. */
  readonly title: string;
  readonly type: ProposedTask["type"];
  readonly command: string;
  readonly files: readonly string[];
  readonly tests: readonly string[];
  /** Instructions to the builder beside the request. */
  readonly says: string;
  readonly priority: ProposedTask["priority"];
  readonly iterations: number;
  /** The main work: of a request with several points, each point gets one. */
  readonly main: boolean;
}

export interface Template {
  readonly workflow: string;
  readonly reason: string;
  readonly tasks: (asked: {
    readonly text: string;
    readonly slug: string;
    readonly places: Places;
    /** Where a new project of this kind keeps its files. */
    readonly scaffold: Scaffold;
  }) => TemplateTask[];
}

export const main = (task: Omit<TemplateTask, "main" | "priority" | "title">): TemplateTask => ({
  title: "",
  priority: "P1",
  ...task,
  main: true,
});
export const after = (task: Omit<TemplateTask, "main">): TemplateTask => ({ ...task, main: false });

export const testTask = (places: Places): TemplateTask =>
  after({
    verb: "test",
    title: "Write tests: ",
    type: "test",
    command: "write_tests",
    files: testsOf(places),
    tests: [],
    says: "Test what the earlier tasks built: the usual case, the limits and the failures. Change no product code.",
    priority: "P1",
    iterations: 3,
  });

/** A page only where the project keeps pages: nobody asked for a new habit. */
export const documentTasks = (places: Places): TemplateTask[] =>
  places.docs.length === 0
    ? []
    : [
        after({
          verb: "document",
          title: "Document: ",
          type: "docs",
          command: "write_documentation",
          files: places.docs,
          tests: [],
          says: "Describe for users what the earlier tasks built, in the style of the pages that are there.",
          priority: "P2",
          iterations: 2,
        }),
      ];
