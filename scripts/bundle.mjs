// The programs as a few files each: finding, reading and linking some hundred modules one by one costs a short command
// more time than everything it does (docs/adr/0042-the-programs-are-bundled.md).
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { build } from "vite";

/** The programs, by their path under `src` without the ending. */
export const PROGRAMS = ["cli/main", "hands/attempts/shim-main"];

/** Native code, and what looks for native code of its own: they must stay in their packages. */
const IN_PACKAGES = ["@photostructure/sqlite", "pg", "@dbos-inc/dbos-sdk"];

/** A test arms crash points before the program is loaded: program and test must have one and the same module. */
const CRASH_POINTS = "coordinator:crash-points";

/**
 * The V8 of Node.js 20 spends a third of the time of a command on optimising code that is then hardly used again. With a
 * higher budget it begins later; a run that goes on for long still gets there. Newer ones do not have this setting and
 * do not need it.
 */
const LATER_OPTIMISING = `import { setFlagsFromString } from "node:v8";
if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=1000000");
`;

/**
 * Writes `dist/program` from the source, and in place of each program's own module one line that loads it from there. The
 * other modules of `dist` stay as the compiler made them.
 */
export async function bundlePrograms(root) {
  const folder = join(root, "dist", "program");
  await rm(folder, { recursive: true, force: true });
  const nameOf = (program) => program.split("/").at(-1);
  await build({
    configFile: false,
    logLevel: "error",
    root,
    ssr: { noExternal: true, external: IN_PACKAGES },
    plugins: [placesOfModules(join(root, "src"))],
    build: {
      ssr: true,
      target: "node20",
      outDir: folder,
      emptyOutDir: false,
      // Names in a stack trace are worth more than a few bytes.
      minify: false,
      rollupOptions: {
        input: Object.fromEntries(PROGRAMS.map((program) => [nameOf(program), join(root, "src", `${program}.ts`)])),
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          hoistTransitiveImports: false,
          // Each file costs a command as much as some thousand characters of it.
          experimentalMinChunkSize: 20_000,
          paths: { [CRASH_POINTS]: "../foundation/processes/crash-points.js" },
        },
      },
    },
  });
  for (const program of PROGRAMS) {
    const file = join(root, "dist", `${program}.js`);
    const bundled = relative(dirname(file), join(folder, `${nameOf(program)}.js`)).replaceAll(sep, "/");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `#!/usr/bin/env node\n${LATER_OPTIMISING}await import("${bundled}");\n`);
    await chmod(file, 0o755);
  }
}

/** A module that looks for a file beside itself looks where the compiler put it, wherever its code went. */
function placesOfModules(source) {
  return {
    name: "places-of-modules",
    enforce: "pre",
    resolveId: (id) => (id.endsWith("/crash-points.js") ? { id: CRASH_POINTS, external: true } : null),
    resolveImportMeta(property, { moduleId }) {
      if (property !== "url" || !moduleId.startsWith(source + sep)) return null;
      const module = relative(source, moduleId).replace(/\.ts$/, ".js").replaceAll(sep, "/");
      return `new URL(${JSON.stringify(`../${module}`)}, import.meta.url).href`;
    },
  };
}
