// Writes schemas/*.schema.json from the Zod schemas of the built package. `npm run schemas` builds first.
import { readdir, rm, writeFile } from "node:fs/promises";
import { PUBLISHED, publish } from "../dist/model/published.js";
import { openApiDocument } from "../dist/server/openapi.js";

const folder = new URL("../schemas/", import.meta.url);
for (const file of await readdir(folder)) await rm(new URL(file, folder));
for (const published of PUBLISHED)
  await writeFile(new URL(`${published.name}.schema.json`, folder), `${JSON.stringify(publish(published), null, 2)}\n`);
await writeFile(new URL("openapi.json", folder), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
console.log(`${PUBLISHED.length} schemas written`);
