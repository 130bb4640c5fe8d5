import { type DetectedCheck, type ProjectFiles, detectedCheck } from "../detected-check.js";
import type { CiCommand } from "./ci-commands.js";

/* Checks of projects in Go, Rust, and C or C++ with CMake or Meson. */

export async function fromGo({ read }: ProjectFiles, ci: readonly CiCommand[]): Promise<DetectedCheck[]> {
  if ((await read("go.mod")) === null) return [];
  // Which tests there are depends on the tags; how they are printed does not, and is ours to say.
  const own = ci.find(({ run }) => /^go test\b/.test(run));
  const tags = / (-tags[= ]\S+)/.exec(own?.run ?? "")?.[1];
  const more = tags === undefined ? "" : ` ${tags}`;
  const because = own === undefined ? "go.mod" : `${own.because}: ${own.run}`;
  return [
    detectedCheck("build", "build", `go build${more} ./...`, "go.mod"),
    detectedCheck("test", "test", `go test -json${more} ./...`, because),
    detectedCheck("vet", "lint", `go vet${more} ./...`, "go.mod"),
  ];
}

const MOST_VARIANTS = 3;

export async function fromRust({ read }: ProjectFiles, ci: readonly CiCommand[]): Promise<DetectedCheck[]> {
  if ((await read("Cargo.toml")) === null) return [];
  const plain = ci.filter(({ run }) =>
    /^cargo (?:test|clippy|fmt)\b(?!.*(?:\+|-Z|--target|nextest|miri|--locked))/.test(run),
  );
  // Features decide what is compiled, so each way the CI tests them is a check of its own.
  const variants = plain.filter(({ run }) =>
    /^cargo test\s+(?:.*\s)?(?:--all-features|--no-default-features|--features|--workspace|--all)\b/.test(run),
  );
  const lints = plain.filter(({ run }) => /^cargo (?:clippy|fmt)\b/.test(run));
  return [
    detectedCheck("build", "build", "cargo build --offline", "Cargo.toml"),
    detectedCheck("test", "test", "cargo test --offline --no-fail-fast", "Cargo.toml"),
    ...variants.slice(0, MOST_VARIANTS).map(({ run, because }) => {
      const args = run.replace(/^cargo test\s*/, "").replace(/\s*--verbose\b/, "");
      const name = `test_${args.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "")}`.slice(0, 60);
      return detectedCheck(name, "test", `cargo test --offline --no-fail-fast ${args}`, `${because}: ${run}`);
    }),
    ...lints
      .slice(0, 2)
      .map(({ run, because }) =>
        run.startsWith("cargo fmt")
          ? detectedCheck("format", "lint", "cargo fmt --check", `${because}: ${run}`)
          : detectedCheck("lint", "lint", run.replace("cargo clippy", "cargo clippy --offline"), `${because}: ${run}`),
      ),
  ];
}

const BUILD = "build-checks";
/** Without a number make starts a compiler for every file at once. */
const JOBS = 4;

/** Finds other tests: a script or a target, where the tool that is named in the repository is not installed. */
export async function fromC({ read, list }: ProjectFiles, instead: readonly DetectedCheck[]): Promise<DetectedCheck[]> {
  const cmake = await read("CMakeLists.txt");
  const names = await list(".");
  if (cmake !== null) {
    const build = `cmake -S . -B ${BUILD} && cmake --build ${BUILD} --parallel ${JOBS}`;
    const tests = /\b(?:enable_testing|include)\s*\(\s*(?:CTest)?\s*\)/i.test(cmake);
    const report = `${BUILD}/ctest.xml`;
    const test = `${build} && ctest --test-dir ${BUILD} --output-on-failure --output-junit ctest.xml`;
    return [
      detectedCheck("build", "build", build, "CMakeLists.txt"),
      ...(tests ? [{ ...detectedCheck("test", "test", test, "tests of CMakeLists.txt", report), instead }] : []),
    ];
  }
  if (!names.includes("meson.build")) return [];
  const tests = /\btest\s*\(/.test((await read("meson.build")) ?? "") || names.some((name) => /^tests?$/.test(name));
  const build = `meson setup ${BUILD} && meson compile -C ${BUILD}`;
  return [
    detectedCheck("build", "build", build, "meson.build"),
    ...(tests
      ? [
          {
            ...detectedCheck(
              "test",
              "test",
              `meson setup ${BUILD} && meson test -C ${BUILD} --print-errorlogs`,
              "meson.build",
            ),
            instead,
          },
        ]
      : []),
  ];
}

/** A script of the repository that the CI calls, whose name says that it runs tests. */
export async function fromCiScripts({ read }: ProjectFiles, ci: readonly CiCommand[]): Promise<DetectedCheck[]> {
  for (const { run, because, compares } of ci) {
    const [, script] = /^(?:sh |bash )?\.?\/?((?:[\w.-]+\/)*[\w.-]*test[\w.-]*\.sh)\s*$/i.exec(run) ?? [];
    // Some write down what they find, and what differs from before is the failure.
    const whole = compares ? `${run} && git diff --exit-code` : run;
    if (script !== undefined && (await read(script)) !== null)
      return [detectedCheck("test", "test", whole, `${because}: ${run}`)];
  }
  return [];
}
