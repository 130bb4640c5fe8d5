import type { KindOfWork } from "./kind-of-work.js";
import type { Places } from "./template-places.js";
import { main, type Template } from "./template.js";

/* Work that ends in a page and changes no product. */

export const PAGE_TEMPLATES = {
  docs: {
    workflow: "documentation",
    reason: "The request asks for a document.",
    tasks: ({ text, slug, places }) => {
      const { pages, code } = pagesFor(text, slug, places);
      return [
        main({
          verb: "document",
          // Anyone who may write source is judged as one who may change it.
          type: code.length > 0 ? "quality" : "docs",
          command: "write_documentation",
          files: [...pages, ...code],
          tests: [],
          says:
            "Write the document. Check every statement against the code and keep examples runnable." +
            (code.length > 0 ? " In source files change only what is written about the code." : ""),
          iterations: 2,
        }),
      ];
    },
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

interface Pages {
  readonly pages: readonly string[];
  /** Source in which documents stand beside the code. */
  readonly code: readonly string[];
}

/** The pages that are named; otherwise all pages, and the source where what is written stands beside the code. */
function pagesFor(text: string, slug: string, { docs, news, named, narrowing, source, alongside }: Places): Pages {
  const readmes = docs.filter((path) => /readme/i.test(path));
  const said = [
    ...named.docs,
    ...(README.test(text) ? orElse(readmes, "README.md") : []),
    ...(CHANGELOG.test(text) ? orElse(news, "CHANGELOG.md") : []),
  ];
  if (said.length > 0 && !ALL_PAGES.test(text)) return { pages: [...new Set(said)], code: [] };
  const pages = docs.length > 0 ? docs : [`docs/${slug}.md`];
  const standInCode = IN_CODE.test(text) || !pages.some((path) => path.includes("/"));
  return {
    pages: [...new Set([...said, ...pages, ...alongside, ...news])],
    code: narrowing !== null ? narrowing.change : standInCode ? source : [],
  };
}

const ALL_PAGES = /(?<![\w/.-])(?:docs|documentation)(?![\w/.-]*[\w/])/i;
const README = /\breadme\b/i;
const CHANGELOG = /\b(?:changelog|change log|release notes)\b/i;
/** Documents that are written in the source itself. */
const IN_CODE =
  /\b(?:comments?|docstrings?|javadoc|jsdoc|tsdoc|godoc|rustdoc|rdoc|doxygen|doc comments?)\b|@(?:return|param|deprecated)/i;

function orElse(found: readonly string[], otherwise: string): readonly string[] {
  return found.length > 0 ? found : [otherwise];
}
