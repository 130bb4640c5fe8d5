// What tsc leaves undone: it copies no file that is not TypeScript, and does not mark the program executable.
import { chmod, cp } from "node:fs/promises";

const at = (path) => new URL(`../${path}`, import.meta.url);
await cp(at("src/store/sqlite/migrations"), at("dist/store/sqlite/migrations"), { recursive: true });
await chmod(at("dist/cli/main.js"), 0o755);

// The scripted agent runs in a cage, where none of our packages are: it is one file that needs nothing but Node.js.
import { build } from "vite";
await build({
  configFile: false,
  logLevel: "error",
  root: new URL("..", import.meta.url).pathname,
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: "dist/agents/scripted",
    emptyOutDir: false,
    minify: false,
    rollupOptions: {
      input: "dist/agents/scripted/main.js",
      output: { entryFileNames: "scripted-agent.mjs", inlineDynamicImports: true },
    },
  },
});
