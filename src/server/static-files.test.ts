import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonResponse } from "./respond.js";
import { staticFile } from "./static-files.js";

describe("the files of the dashboard", () => {
  let folder: string;
  let web: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "coordinator-web-"));
    web = join(folder, "web");
    mkdirSync(join(web, "assets"), { recursive: true });
    writeFileSync(join(folder, "secret.txt"), "nobody's");
    writeFileSync(join(web, "index.html"), "<title>page</title>");
    writeFileSync(join(web, "assets", "app-1a2b.js"), "run()");
    writeFileSync(join(web, "assets", "app-1a2b.js.gz"), gzipSync("run()"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const get = (path: string, headers: Record<string, string> = {}) =>
    staticFile(new Request(`http://127.0.0.1${encodeURI(path)}`, { headers }), path, web);

  it("are kept by browsers where their name changes with their content, and asked for again otherwise", async () => {
    const file = await get("/assets/app-1a2b.js");
    expect([await file?.text(), file?.headers.get("content-type")]).toEqual([
      "run()",
      "text/javascript; charset=utf-8",
    ]);
    expect(file?.headers.get("cache-control")).toContain("immutable");
    for (const path of ["/", "/runs/run_x", "/projects/a/b"]) {
      const page = await get(path);
      expect([path, await page?.text()]).toEqual([path, "<title>page</title>"]);
      expect(page?.headers.get("cache-control")).toBe("no-cache");
    }
    expect(await get("/assets/gone-1a2b.js")).toBeNull();
  });

  it("are sent packed as the build packed them", async () => {
    const file = await get("/assets/app-1a2b.js", { "accept-encoding": "br, gzip" });
    expect(file?.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(Buffer.from((await file?.arrayBuffer()) ?? new ArrayBuffer(0))).toString()).toBe("run()");
    expect(
      (await get("/assets/app-1a2b.js", { "accept-encoding": "gzip;q=0" }))?.headers.get("content-encoding"),
    ).toBeNull();
  });

  it.each(["/../secret.txt", "/assets/../../secret.txt", "/..\\secret.txt", "/assets/%00.js", "/a\0.js"])(
    "never lead out of their folder: %s",
    async (path) => {
      const found = await staticFile(new Request("http://127.0.0.1/"), path, web);
      expect((await found?.text()) ?? "").not.toContain("nobody's");
    },
  );

  it("say what is missing where nobody has built them", async () => {
    rmSync(join(web, "index.html"));
    const found = await get("/");
    expect([found?.status, await found?.text()]).toEqual([404, expect.stringContaining("/api/v1/openapi.json")]);
  });
});

describe("JSON", () => {
  const ask = (headers: Record<string, string>) => new Request("http://127.0.0.1/", { headers });

  it("is tagged by its content, and not sent to whoever has it", async () => {
    const first = await jsonResponse(ask({}), { a: 1 });
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    const again = await jsonResponse(ask({ "if-none-match": `"x", ${etag}` }), { a: 1 });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await jsonResponse(ask({ "if-none-match": etag }), { a: 2 })).status).toBe(200);
  });

  it("is packed where it is long and whoever asks takes that", async () => {
    const value = { text: "x".repeat(5000) };
    const packed = await jsonResponse(ask({ "accept-encoding": "gzip" }), value);
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(JSON.parse(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString())).toEqual(value);
    expect((await jsonResponse(ask({}), value)).headers.get("content-encoding")).toBeNull();
    expect(
      (await jsonResponse(ask({ "accept-encoding": "gzip" }), { a: 1 })).headers.get("content-encoding"),
    ).toBeNull();
  });
});
