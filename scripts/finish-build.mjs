// What tsc leaves undone: it copies no file that is not TypeScript, and does not mark the program executable.
import { deepStrictEqual } from "node:assert";
import { chmod, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readDocument, readText } from "../dist/foundation/documents/read-document.js";
import { builtName } from "../dist/foundation/documents/shipped-document.js";

const at = (path) => new URL(`../${path}`, import.meta.url);
await cp(at("src/hands/store/sqlite/migrations"), at("dist/hands/store/sqlite/migrations"), { recursive: true });
await chmod(at("dist/cli/main.js"), 0o755);

// The policies as JSON: what `readShipped` reads instead of YAML.
const shipped = at("dist/shipped/");
await rm(shipped, { recursive: true, force: true });
await mkdir(shipped);
for (const name of await readdir(at("policy"))) {
  const file = fileURLToPath(at(`policy/${name}`));
  const [text, document] = [await readText(file), await readDocument(file)];
  if (!text.ok || !document.ok) throw new Error(`policy/${name} cannot be read`);
  const json = JSON.stringify(document.value);
  deepStrictEqual(JSON.parse(json), document.value);
  await writeFile(new URL(builtName(text.text), shipped), json);
}

// The scripted agent runs in a cage, where none of our packages are: it is one file that needs nothing but Node.js.
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
