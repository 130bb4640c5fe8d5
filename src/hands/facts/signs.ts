/* By which files one recognises what a project uses. Names are compared whole; patterns against the whole path. */

export const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "TypeScript",
  tsx: "TypeScript",
  mts: "TypeScript",
  cts: "TypeScript",
  js: "JavaScript",
  jsx: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  py: "Python",
  go: "Go",
  rs: "Rust",
  java: "Java",
  kt: "Kotlin",
  kts: "Kotlin",
  scala: "Scala",
  rb: "Ruby",
  php: "PHP",
  cs: "C#",
  fs: "F#",
  c: "C",
  h: "C",
  cc: "C++",
  cpp: "C++",
  hpp: "C++",
  swift: "Swift",
  m: "Objective-C",
  dart: "Dart",
  ex: "Elixir",
  exs: "Elixir",
  erl: "Erlang",
  hs: "Haskell",
  clj: "Clojure",
  lua: "Lua",
  r: "R",
  jl: "Julia",
  sh: "Shell",
  bash: "Shell",
  ps1: "PowerShell",
  sql: "SQL",
  vue: "Vue",
  svelte: "Svelte",
  zig: "Zig",
};

export const LOCKFILES: Readonly<Record<string, string>> = {
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "yarn.lock": "yarn",
  "pnpm-lock.yaml": "pnpm",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "poetry.lock": "poetry",
  "uv.lock": "uv",
  "pdm.lock": "pdm",
  "Pipfile.lock": "pipenv",
  "Cargo.lock": "cargo",
  "go.sum": "go",
  "Gemfile.lock": "bundler",
  "composer.lock": "composer",
  "gradle.lockfile": "gradle",
  "packages.lock.json": "nuget",
  "mix.lock": "mix",
  "Package.resolved": "swiftpm",
  "pubspec.lock": "pub",
};

/** Manifests that belong to one package manager. package.json and pyproject.toml belong to several. */
export const MANIFESTS: Readonly<Record<string, string>> = {
  "requirements.txt": "pip",
  Pipfile: "pipenv",
  "Cargo.toml": "cargo",
  "go.mod": "go",
  Gemfile: "bundler",
  "composer.json": "composer",
  "pom.xml": "maven",
  "build.gradle": "gradle",
  "build.gradle.kts": "gradle",
  "mix.exs": "mix",
  "Package.swift": "swiftpm",
  "pubspec.yaml": "pub",
};

/** The manager of a manifest that several share, when no lockfile says which. */
export const SHARED_MANIFESTS: Readonly<
  Record<string, { readonly usual: string; readonly others: readonly string[] }>
> = {
  "package.json": { usual: "npm", others: ["yarn", "pnpm", "bun"] },
  "pyproject.toml": { usual: "pip", others: ["poetry", "uv", "pdm", "pipenv"] },
};

export const TEST_FILES =
  /(?:^|\/)(?:tests?|__tests__|spec)\/.*\.\w+$|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]*\.py$|_test\.(?:go|py|exs|dart)$|(?:Test|Tests|Spec)\.(?:java|kt|scala|cs|swift|php)$/;

export const CI_FILES =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|Jenkinsfile|\.circleci\/config\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|\.woodpecker(?:\.ya?ml|\/.+)|\.buildkite\/.+|appveyor\.ya?ml|\.cirrus\.ya?ml)$/;

export const MIGRATION_FILES =
  /(?:^|\/)(?:migrations?|migrate|alembic\/versions)\/.*\.(?:sql|py|rb|ts|js|mjs|php|go|kt|java|cs|ya?ml|xml|exs)$|(?:^|\/)V\d+(?:_\d+)*__[^/]+\.sql$/;
