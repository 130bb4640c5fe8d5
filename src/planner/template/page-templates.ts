import type { KindOfWork } from "./kind-of-work.js";
import type { Places } from "./places.js";
import { main, type Template } from "./template.js";

/* Work that ends in a page and changes no product. */

export const PAGE_TEMPLATES = {
  docs: {
    workflow: "documentation",
    reason: "The request asks for a document.",
    tasks: ({ text, slug, places }) => [
      main({
        verb: "document",
        type: "docs",
        command: "write_documentation",
        files: pagesFor(text, slug, places),
        tests: [],
        says: "Write the document. Check every statement against the code and keep examples runnable.",
        iterations: 2,
      }),
    ],
  },
  research: {
    workflow: "research",
    reason: "The request asks for findings and for no change of the product.",
    tasks: ({ slug }) => [
      main({
        verb: "report",
        type: "docs",
        command: "write_research_report",
        files: [`docs/research/${slug}.md`],
        tests: [],
        says:
          "Write a report: the question, what is known and from where, the options with their costs, a recommendation, " +
          "and what stays open. Change nothing else.",
        iterations: 3,
      }),
    ],
  },
} satisfies Partial<Record<KindOfWork, Template>>;

function pagesFor(text: string, slug: string, { docs, named }: Places): readonly string[] {
  if (named.docs.length > 0) return named.docs;
  if (/\breadme\b/i.test(text)) return ["README.md"];
  if (/\bchangelog\b/i.test(text)) return ["CHANGELOG.md"];
  return docs.length > 0 ? docs : [`docs/${slug}.md`];
}
