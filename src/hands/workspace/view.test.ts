import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileVisibility } from "./view.js";

const segment = fc.constantFrom("a", "b", "docs", "x.md", "y.md", "secret");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const pattern = fc
  .array(fc.oneof(segment, fc.constantFrom("*", "*.md", "?", "{a,docs}", "**")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));

/** By the words of the guide alone, with a matcher of its own: one segment after the other. */
function matches(glob: readonly string[], parts: readonly string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return parts.length === 0;
  if (first === "**") return matches(rest, parts) || (parts.length > 0 && matches(glob, parts.slice(1)));
  const [part, ...others] = parts;
  if (part === undefined) return false;
  const one = {
    "*": true,
    "*.md": part.endsWith(".md"),
    "?": part.length === 1,
    "{a,docs}": ["a", "docs"].includes(part),
  };
  return (one[first as keyof typeof one] ?? first === part) && matches(rest, others);
}

describe("what a view shows", () => {
  it("is what may be read without what is hidden, and without all that lies below it", () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 3 }),
        fc.array(pattern, { maxLength: 3 }),
        path,
        (read, hidden, at) => {
          const parts = at.split("/");
          const above = parts.map((_, i) => parts.slice(0, i + 1));
          const isHidden = hidden.some((glob) => above.some((each) => matches(glob.split("/"), each)));
          const isRead = read.some((glob) => matches(glob.split("/"), parts));
          expect(compileVisibility({ read, hidden })(at)).toBe(isRead && !isHidden);
        },
      ),
    );
  });

  it("withholds what is named and nothing else, whatever characters the name has", () => {
    const withheld = ["docs/a{1,2}.md", "./docs//b?.md", "notes/*/", "docs/c*.md"];
    const sees = compileVisibility({ read: ["**"], hidden: [], withheld });
    const paths = ["docs/a{1,2}.md", "docs/a1.md", "docs/b?.md", "docs/b1.md", "notes/*/x.md", "notes/a/x.md"];
    expect(paths.filter((at) => sees(at))).toEqual(["docs/a1.md", "docs/b1.md", "notes/a/x.md"]);
    expect([sees("docs/c*.md"), sees("docs/cc.md")]).toEqual([false, true]);
  });

  it("never shows more for hiding more, and takes a folder with a slash for the folder", () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 3 }), pattern, path, (hidden, more, at) => {
        const some = compileVisibility({ read: ["**"], hidden })(at);
        const fewer = compileVisibility({ read: ["**"], hidden: [...hidden, more] })(at);
        expect(fewer && !some).toBe(false);
        expect(compileVisibility({ read: ["**"], hidden: [`${more}/`] })(at)).toBe(
          compileVisibility({ read: ["**"], hidden: [more] })(at),
        );
      }),
    );
  });
});
