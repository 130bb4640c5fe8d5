/*
 * Files that steer the programs that checks start. A pattern without a folder holds at any depth, because tools look for
 * their settings upwards from where they are and downwards where they collect tests.
 */

interface Tool {
  readonly names: readonly string[];
  readonly files: readonly string[];
}

const tool = (names: string, files: string): Tool => ({ names: names.split(" "), files: files.split(" ") });

const NODE = ".npmrc .node-options .swcrc";
const TYPESCRIPT = "tsconfig.json tsconfig.*.json jsconfig.json";
const BABEL = "babel.config.* .babelrc .babelrc.*";
const PYTHON = "sitecustomize.py usercustomize.py *.pth";

const TOOLS: readonly Tool[] = [
  tool("node npm npx pnpm yarn bun deno", NODE),
  tool("yarn", ".yarnrc .yarnrc.yml"),
  tool("pnpm", ".pnpmfile.cjs"),
  tool("bun", "bunfig.toml"),
  tool("deno", "deno.json deno.jsonc"),
  tool("vitest vite vue-tsc svelte-check", `vitest.config.* vitest.workspace.* vite.config.* ${TYPESCRIPT}`),
  tool("jest ts-jest react-scripts", `jest.config.* jest.setup.* ${BABEL} ${TYPESCRIPT}`),
  tool("mocha", `.mocharc .mocharc.* mocha.opts ${BABEL}`),
  tool("ava", "ava.config.*"),
  tool("tap tape", ".taprc .tap"),
  tool("jasmine", "jasmine.json jasmine.mjs"),
  tool("karma", "karma.conf.*"),
  tool("playwright", "playwright.config.*"),
  tool("cypress", "cypress.config.* cypress.json"),
  tool("c8 nyc", ".c8rc .c8rc.* .nycrc .nycrc.* nyc.config.*"),
  tool(
    "eslint xo standard semistandard ts-standard",
    ".eslintrc .eslintrc.* eslint.config.* .eslintignore xo.config.*",
  ),
  tool("oxlint", ".oxlintrc.json oxlint.json .oxlintignore"),
  tool("biome", "biome.json biome.jsonc"),
  tool("prettier", ".prettierrc .prettierrc.* prettier.config.* .prettierignore"),
  tool("stylelint", ".stylelintrc .stylelintrc.* stylelint.config.* .stylelintignore"),
  tool(
    "tsc tsx ts-node tsd tsup swc esbuild rollup webpack",
    `${TYPESCRIPT} tsup.config.* rollup.config.* webpack.config.*`,
  ),
  tool("turbo nx lerna wireit", "turbo.json nx.json project.json lerna.json"),
  tool("gulp grunt", "gulpfile.* Gruntfile.*"),
  tool("pytest py.test", `conftest.py pytest.ini .pytest.ini pyproject.toml tox.ini setup.cfg ${PYTHON}`),
  tool("python unittest nose2 trial", `${PYTHON} unittest.cfg`),
  tool("tox", "tox.ini pyproject.toml setup.cfg"),
  tool("nox", "noxfile.py"),
  tool("coverage", ".coveragerc pyproject.toml setup.cfg tox.ini"),
  tool("mypy dmypy", "mypy.ini .mypy.ini pyproject.toml setup.cfg"),
  tool("pyright basedpyright", "pyrightconfig.json pyproject.toml"),
  tool("ruff black isort", "ruff.toml .ruff.toml pyproject.toml .isort.cfg"),
  tool("flake8 pylint pycodestyle", ".flake8 setup.cfg tox.ini .pylintrc pylintrc pyproject.toml"),
  tool(
    "cargo rustc clippy",
    "**/.cargo/config **/.cargo/config.toml build.rs Cargo.toml clippy.toml .clippy.toml rust-toolchain rust-toolchain.toml",
  ),
  tool("go gotestsum", "go.mod go.work vendor/**"),
  tool("golangci-lint staticcheck", ".golangci.* staticcheck.conf"),
  tool("cmake ctest", "CMakeLists.txt *.cmake CMakePresets.json CTestCustom.*"),
  tool("meson ninja", "meson.build meson_options.txt build.ninja"),
  tool("bazel bazelisk", "BUILD BUILD.bazel WORKSPACE .bazelrc MODULE.bazel *.bzl"),
  tool("just", "justfile .justfile Justfile *.just"),
  tool("task", "Taskfile.yml Taskfile.yaml"),
  tool("rake", "Rakefile rakefile Rakefile.rb *.rake"),
  tool("rspec", ".rspec"),
  tool("rubocop", ".rubocop.yml .rubocop_todo.yml"),
  tool("mvn mvnw", "pom.xml **/.mvn/**"),
  tool(
    "gradle gradlew",
    "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties **/buildSrc/**",
  ),
  tool("phpunit pest composer", "phpunit.xml phpunit.xml.dist phpunit.dist.xml composer.json"),
  tool("phpstan psalm", "phpstan.neon phpstan.neon.dist psalm.xml"),
  tool("dotnet", "*.csproj *.fsproj Directory.Build.props Directory.Build.targets *.runsettings"),
  tool("mix", "mix.exs .formatter.exs"),
  tool("swift", "Package.swift"),
  tool("prove perl", ".proverc"),
  tool("bats shellcheck", ".shellcheckrc"),
];

/** Tools of the npm world keep their settings in package.json too, under these keys. */
const PACKAGE_KEYS = new Set(
  (
    "jest mocha ava xo eslintConfig eslintIgnore vitest nyc c8 tap babel prettier stylelint tsd standard jasmine karma " +
    "lint-staged wireit nx browserslist ts-standard semistandard vite"
  ).split(" "),
);

/** Sections of files that many tools share, by the tool that reads them. */
const SECTIONS: readonly (readonly [string, RegExp])[] = [
  ["pytest py.test", /^(?:tool[.:])?pytest\b/],
  ["tox", /^(?:tool[.:])?(?:tox|testenv)\b/],
  ["coverage", /^(?:tool[.:])?(?:coverage|run|report)\b/],
  ["mypy dmypy", /^(?:tool[.:])?mypy\b/],
  ["pyright basedpyright", /^tool[.:](?:based)?pyright\b/],
  ["ruff black isort", /^(?:tool[.:])?(?:ruff|black|isort)\b/],
  ["flake8 pylint pycodestyle", /^(?:tool[.:])?(?:flake8|pylint|pycodestyle|messages control)\b/i],
  ["cargo rustc clippy", /^(?:lints|workspace\.lints|profile|test|bench|lib|patch|replace)\b/],
];

const KNOWN = new Set(TOOLS.flatMap(({ names }) => names));
/** Programs that run the file they are given. */
const INTERPRETERS = new Set("node deno bun python ruby perl php sh bash dash zsh tsx ts-node lua Rscript".split(" "));
const BY_NAME = new Map<string, string[]>();
for (const { names, files } of TOOLS)
  for (const name of names) BY_NAME.set(name, [...(BY_NAME.get(name) ?? []), ...files]);

/** `python3.11` is python, `./gradlew` gradlew. */
export const toolName = (name: string): string => name.replace(/^(python|pip|pytest|ruby|php|node)-?\d[\d.]*$/, "$1");

export const isTool = (name: string): boolean => KNOWN.has(toolName(name));
export const isInterpreter = (name: string): boolean => INTERPRETERS.has(toolName(name));
export const settingsOf = (name: string): readonly string[] => BY_NAME.get(toolName(name)) ?? [];
export const isPackageKey = (key: string): boolean => PACKAGE_KEYS.has(key);

/** Contract: true for a section that one of these tools reads; where no tool is known, for all that some tool reads. */
export function isSteeringSection(name: string, tools: ReadonlySet<string>): boolean {
  return SECTIONS.some(
    ([names, pattern]) => pattern.test(name) && (tools.size === 0 || names.split(" ").some((one) => tools.has(one))),
  );
}
