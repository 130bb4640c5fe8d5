import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The mind is pure (test/architecture): its tests leave nothing behind in a process, and may share its modules. */
const PURE = ["mind", "model", "foundation/{canonical-json,conditions,globs,text}"];
const mind = PURE.map((room) => `src/${room}/**/*.test.ts`);

/** Tests of modules that change what other tests of the same process would see: each has a process of its own. */
const APART = ["src/app/project/secrets.test.ts", "src/foundation/files/known-secrets.test.ts"];
const modules = "src/**/*.test.ts";

/** Where the long tests are, longest first. They begin first, so that no core stands idle while the last one ends. */
const LONG = [
  "/test/examples/",
  "/test/field/",
  "/test/e2e/handbook",
  "/test/cheats/",
  "/test/chaos/",
  "/test/cli/guides",
  "/hands/attempts/setup/environment",
  "/test/e2e/",
  "/test/run/",
  "/test/attacks/",
  "/test/cli/",
  "/test/",
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((part) => moduleId.includes(part));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

/** Patterns that scripts/suite.mjs leaves out. By a variable: `--exclude` does not reach the projects below. */
const leftOut = JSON.parse(process.env["COORDINATOR_TESTS_LEFT_OUT"] ?? "[]") as string[];

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts", "test/hanging.ts"],
    // Guards against hanging only: a busy machine is slow, and slow is not wrong.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two more than the two cores there are everywhere: tests of the program wait for processes and disks in between.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: { name: "mind", include: mind, exclude: [...configDefaults.exclude, ...leftOut], isolate: false },
      },
      {
        extends: true,
        test: {
          name: "modules",
          include: [modules],
          exclude: [...configDefaults.exclude, ...mind, ...APART, ...leftOut],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "program",
          include: [...APART, "test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...leftOut],
        },
      },
    ],
  },
});
