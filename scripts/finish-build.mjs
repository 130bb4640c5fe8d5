// The steps of the build after tsc, which copies only TypeScript and makes no program of the modules.
import { deepStrictEqual } from "node:assert";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readDocument, readText } from "../dist/foundation/documents/read-document.js";
import { builtName } from "../dist/foundation/documents/shipped-document.js";
import { readEntries } from "../dist/hands/registry/read-entries.js";
import { findRegistryFiles } from "../dist/hands/registry/registry-files.js";

const at = (path) => new URL(`../${path}`, import.meta.url);
for (const kind of ["sqlite", "postgres"])
  await cp(at(`src/hands/store/${kind}/migrations`), at(`dist/hands/store/${kind}/migrations`), { recursive: true });

// The policies as JSON: what `readShipped` reads instead of YAML.
const shipped = at("dist/shipped/");
await rm(shipped, { recursive: true, force: true });
await mkdir(shipped);
for (const name of (await readdir(at("policy"))).filter((entry) => entry.endsWith(".yaml"))) {
  const file = fileURLToPath(at(`policy/${name}`));
  const [text, document] = [await readText(file), await readDocument(file)];
  if (!text.ok || !document.ok) throw new Error(`policy/${name} cannot be read`);
  const json = JSON.stringify(document.value);
  deepStrictEqual(JSON.parse(json), document.value);
  await writeFile(new URL(builtName(text.text), shipped), json);
}

// The registry as its checked entries: what `readShippedEntries` reads.
const registry = {};
const found = await findRegistryFiles(fileURLToPath(at("registry")), { optional: false });
for (const file of found.files) {
  const text = await readText(file.file);
  const { entries, diagnostics } = await readEntries(file);
  const problems = [...found.diagnostics, ...diagnostics];
  if (!text.ok || problems.length > 0) throw new Error(`${file.file}: ${JSON.stringify(problems)}`);
  registry[builtName(text.text)] = entries.map(({ entry, position, whenPosition }) => ({
    entry,
    position,
    whenPosition,
  }));
}
deepStrictEqual(JSON.parse(JSON.stringify(registry)), registry);
await writeFile(new URL("registry.json", shipped), JSON.stringify(registry));

// The code that folds logs, as one checksum: a snapshot made by other code is made again.
const code = createHash("sha256");
for (const folder of ["app/inspect", "foundation", "mind", "model"])
  for (const name of (await readdir(at(`dist/${folder}`), { recursive: true }))
    .filter((path) => path.endsWith(".js"))
    .sort())
    code.update(`${folder}/${name}\n`).update(await readFile(at(`dist/${folder}/${name}`)));
await writeFile(new URL("code.txt", shipped), code.digest("hex"));

// The scripted agent runs in a sandbox, where none of our packages are: it is one file that needs nothing but Node.js.
import { build } from "vite";
await build({
  configFile: false,
  logLevel: "error",
  root: new URL("..", import.meta.url).pathname,
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: "dist/hands/agents/scripted",
    emptyOutDir: false,
    minify: false,
    rollupOptions: {
      input: "dist/hands/agents/scripted/main.js",
      output: { entryFileNames: "scripted-agent.mjs", inlineDynamicImports: true },
    },
  },
});

// The dashboard, for `coordinator serve`.
await build({ configFile: fileURLToPath(at("web/vite.config.ts")) });

// Last: tests take the program's time for that of the whole build.
import { bundlePrograms } from "./bundle.mjs";
await bundlePrograms(fileURLToPath(at(".")));
