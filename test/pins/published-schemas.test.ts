import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { PUBLISHED, publish } from "../../src/model/published.js";
import { openApiDocument } from "../../src/server/openapi.js";

const folder = fileURLToPath(new URL("../../schemas", import.meta.url));

describe("the published schemas", () => {
  it.each(PUBLISHED.map((p) => [p.name, p] as const))(
    "schemas/%s.schema.json is what its Zod schema gives (else: npm run schemas) [S4-098]",
    (name, published) => {
      const file = JSON.parse(readFileSync(`${folder}/${name}.schema.json`, "utf8")) as unknown;
      expect(file).toEqual(JSON.parse(JSON.stringify(publish(published))));
    },
  );

  it("schemas/openapi.json is what the operations of the server give (else: npm run schemas)", () => {
    const file = JSON.parse(readFileSync(`${folder}/openapi.json`, "utf8")) as { openapi: string; paths: object };
    expect(file).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    expect(file.openapi).toBe("3.1.0");
    expect(Object.keys(file.paths).length).toBeGreaterThan(30);
  });

  it("are all there and nothing else is", () => {
    const names = ["openapi.json", ...PUBLISHED.map((p) => `${p.name}.schema.json`)];
    expect(readdirSync(folder).sort()).toEqual(names.sort());
  });

  it("compile under a strict validator and carry an $id with their version", () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    addFormats.default(ajv);
    for (const published of PUBLISHED) {
      const schema = publish(published);
      expect(schema["$id"]).toBe(`coordinator://schemas/${published.version}/${published.name}.schema.json`);
      expect(() => ajv.compile(schema)).not.toThrow();
    }
  });
});
