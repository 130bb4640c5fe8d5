import { describe, expect, it } from "vitest";
import { ordersIn } from "../../../test/hosts/acts.js";
import { plainTitle } from "./host-text.js";

describe("a title of foreign words", () => {
  it.each([
    ["Update @types/node to 20", "Update `@types/node` to 20"],
    ["Update @types/node@^20.1.", "Update `@types/node@^20.1`."],
    ["Use @Injectable() and @app.get('/x') here", "Use `@Injectable()` and `@app.get('/x')` here"],
    ["Explain `@Override` in a.java", "Explain `@Override` in a.java"],
    ["Pin node@20 and write to ada@example.com", "Pin node@20 and write to ada@example.com"],
    ["Sort by @ and by a @ b", "Sort by @ and by a @ b"],
  ])("keeps names of packages and decorators readable: %s", (said, title) => {
    expect(plainTitle(said)).toBe(title);
    expect(ordersIn(title.replace("ada@example.com", "").replace("node@20", ""))).toEqual([]);
  });

  it.each([
    ["Thank @ada", "Thank (at)ada"],
    ["(@ada), /@bob and ``@eve``", "((at)ada), /(at)bob and ''(at)eve''"],
    ["Ask @acme/everyone", "Ask `@acme/everyone`"],
    ["Ask `@ada` and an open ` @bob", "Ask `@ada` and an open ' (at)bob"],
    ["Fixes #3, closes ada/app#4, GH-5", "Fixes no. 3, closes no. 4, no. 5"],
    ["/merge now [skip ci]", "merge now (skip ci)"],
    ["`/merge` now", "`/merge` now"],
    ["@@ada and @\u200bbob", "@(at)ada and (at)bob"],
  ])("breaks what a host would act on: %s", (said, title) => {
    expect(plainTitle(said)).toBe(title);
    expect(ordersIn(title)).toEqual([]);
  });

  it("leaves no code open where it is cut", () => {
    const title = plainTitle(`${"word ".repeat(4)}@types/a-long-name and more`, 30);
    expect(title).toBe("word word word word…");
    expect(plainTitle("a `b` c", 6)).toBe("a `b`…");
  });
});
