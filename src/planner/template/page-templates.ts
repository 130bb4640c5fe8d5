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

/** The pages that are named; otherwise all pages, and the source where what is written stands beside the code. */
function pagesFor(text: string, slug: string, places: Places): readonly string[] {
  const { docs, news, named, narrowing, source } = places;
  const said = [
    ...named.docs,
    ...(README.test(text)
      ? orElse(
          docs.filter((path) => /readme/i.test(path)),
          "README.md",
        )
      : []),
    ...(CHANGELOG.test(text) ? orElse(news, "CHANGELOG.md") : []),
  ];
  const code =
    narrowing !== null
      ? narrowing.change
      : IN_CODE.test(text) || !docs.some((path) => path.endsWith("/**"))
        ? source
        : [];
  if (said.length > 0 && !ALL_PAGES.test(text)) return [...new Set(said)];
  const pages = docs.length > 0 ? docs : [`docs/${slug}.md`];
  return [...new Set([...said, ...pages, ...code, ...places.alongside, ...news])];
}

const ALL_PAGES = /\b(?:docs|documentation)\b/i;
const README = /\breadme\b/i;
const CHANGELOG = /\b(?:changelog|change log|release notes)\b/i;
/** Documents that are written in the source itself. */
const IN_CODE =
  /\b(?:comments?|docstrings?|javadoc|jsdoc|tsdoc|godoc|rustdoc|rdoc|doxygen|doc comments?)\b|@(?:return|param|deprecated)/i;

function orElse(found: readonly string[], otherwise: string): readonly string[] {
  return found.length > 0 ? found : [otherwise];
}
