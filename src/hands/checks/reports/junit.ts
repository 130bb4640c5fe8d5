import { SaxesParser } from "saxes";
import type { Finding } from "../../../model/settings/check.js";
import { relative, test, type ReadReport } from "./report.js";

/* JUnit XML as the many programs that write it agree on: testcase with classname, name, and what went wrong inside. */

export const readJunit: ReadReport = (text) => {
  const begin = text.search(/<\?xml|<testsuites?[\s>]/);
  if (begin < 0 || !/<testsuites?[\s>]/.test(text)) return null;
  return documentsIn(text.slice(begin)).flatMap(readOne);
};

/** Each report by itself, without what a program printed behind it. */
function documentsIn(text: string): string[] {
  return text.split(/(?=<\?xml)/).map((document) => {
    const end = Math.max(...["</testsuites>", "</testsuite>"].map((tag) => document.lastIndexOf(tag) + tag.length));
    const isClosed = /<\/testsuites?>/.test(document);
    return isClosed && !document.slice(end).trimStart().startsWith("<") ? document.slice(0, end) : document;
  });
}

function readOne(text: string): Finding[] {
  const found: Finding[] = [];
  let open: { name: string; file: string | null; line: number | null } | null = null;
  let verdict: { status: Finding["status"]; message: string } | null = null;
  let inside = "";
  let suite = "";
  const parser = new SaxesParser({ fragment: false });
  let broken = false;
  parser.on("error", () => {
    broken = true;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const attribute = (key: string): string => {
      const value = Object.hasOwn(attributes, key) ? attributes[key] : "";
      return typeof value === "string" ? value : "";
    };
    if (name === "testcase") {
      const of = attribute("classname");
      const own = attribute("name");
      open = {
        name: of === "" || own.startsWith(of) ? own : `${of} > ${own}`,
        file: attribute("file") === "" ? null : relative(attribute("file")),
        line: attribute("line") === "" ? null : Number.parseInt(attribute("line"), 10) || null,
      };
      verdict = null;
      inside = "";
    } else if (name === "testsuite") suite = attribute("name");
    else if (open === null && (name === "failure" || name === "error"))
      // It failed before any of its tests, or behind them.
      found.push(test(`${suite} as a whole`, "failed", { message: attribute("message") }));
    else if (open !== null && (name === "failure" || name === "error"))
      verdict = { status: "failed", message: attribute("message") };
    else if (open !== null && name === "skipped" && verdict === null)
      verdict = { status: "skipped", message: attribute("message") };
  });
  parser.on("text", (piece) => {
    if (verdict !== null && inside.length < 4000) inside += piece;
  });
  parser.on("cdata", (piece) => {
    if (verdict !== null && inside.length < 4000) inside += piece;
  });
  parser.on("closetag", ({ name }) => {
    if (name !== "testcase" || open === null) return;
    const message = [verdict?.message ?? "", inside.trim()].filter((part) => part !== "").join("\n");
    found.push(test(open.name, verdict?.status ?? "passed", { message, file: open.file, line: open.line }));
    open = null;
    verdict = null;
  });
  parser.write(text).close();
  // A report that breaks off may hide what came after: that is a failure of its own.
  if (broken) found.push(test("JUnit report", "failed", { message: "the report is not well-formed XML" }));
  return found;
}
