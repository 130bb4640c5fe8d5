import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const out = fileURLToPath(new URL("../dist/web", import.meta.url));

/** The server sends a packed file as it is: it is packed once, here. */
function packFiles(): Plugin {
  return {
    name: "pack-files",
    closeBundle() {
      for (const name of readdirSync(out, { recursive: true, encoding: "utf8" }))
        if (/\.(?:html|js|css|svg)$/.test(name))
          writeFileSync(join(out, `${name}.gz`), gzipSync(readFileSync(join(out, name)), { level: 9 }));
    },
  };
}

/** The packages whose code is in the built files. */
const BUNDLED = ["react", "react-dom", "scheduler", "@xyflow/react", "@xyflow/system", "zustand", "elkjs"];

/** Their licences go with them. */
function writeLicences(): Plugin {
  return {
    name: "write-licences",
    closeBundle() {
      const texts = BUNDLED.map((name) => {
        const folder = fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
        const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        if (file === undefined) throw new Error(`${name} has no licence beside it`);
        return `${name}\n\n${readFileSync(join(folder, file), "utf8")}`;
      });
      writeFileSync(join(out, "licences.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  logLevel: "warn",
  esbuild: { jsx: "automatic" },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    rollupOptions: {
      // "use client" is for frameworks that render on a server.
      onwarn: (warning, warn) => {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
    },
  },
  plugins: [packFiles(), writeLicences()],
});
