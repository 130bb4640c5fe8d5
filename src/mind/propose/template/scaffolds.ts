/*
 * Where a new project of a kind keeps its files: by the technology its request names, else by the type of project. The
 * places are the usual ones of each, so that anyone who lays the ground need not ask for every folder.
 */

export interface Scaffold {
  /** Its name in a sentence: "a Next.js project". */
  readonly name: string;
  readonly source: readonly string[];
  readonly tests: readonly string[];
  /** Manifests, settings of tools and what else lies at the root. */
  readonly files: readonly string[];
}

const NODE = ["package.json", "package-lock.json", "tsconfig.json"];
const WEB = [...NODE, "eslint.config.*", ".env.example"];
const PYTHON = ["pyproject.toml", "requirements.txt"];

const BY_TECHNOLOGY: readonly (Scaffold & { readonly words: RegExp })[] = [
  {
    name: "Next.js",
    words: /\bnext\.?js\b/i,
    source: ["app/**", "src/**", "pages/**", "components/**", "lib/**", "public/**"],
    tests: ["test/**", "tests/**", "e2e/**"],
    files: [...WEB, "next.config.*", "next-env.d.ts", "middleware.ts", "postcss.config.*", "tailwind.config.*"],
  },
  {
    name: "Nuxt",
    words: /\bnuxt(?:\.?js)?\b/i,
    source: ["app/**", "components/**", "pages/**", "server/**", "composables/**", "public/**"],
    tests: ["test/**"],
    files: [...WEB, "nuxt.config.*", "app.vue"],
  },
  {
    name: "SvelteKit",
    words: /\bsvelte(?:kit)?(?:\.?js)?\b/i,
    source: ["src/**", "static/**"],
    tests: ["test/**"],
    files: [...WEB, "svelte.config.*", "vite.config.*"],
  },
  {
    name: "Angular",
    words: /\bangular\b/i,
    source: ["src/**", "public/**"],
    tests: ["test/**", "e2e/**"],
    files: [...WEB, "angular.json", "tsconfig.*.json"],
  },
  {
    name: "React Native",
    words: /\b(?:react native|expo)\b/i,
    source: ["app/**", "src/**", "components/**", "assets/**", "android/**", "ios/**"],
    tests: ["test/**", "__tests__/**"],
    files: [...NODE, "app.json", "App.*", "babel.config.*", "metro.config.*"],
  },
  {
    name: "web",
    words: /\b(?:react|vue(?:\.?js)?|vite|three\.?js|astro|solid\.?js|preact)\b/i,
    source: ["src/**", "public/**"],
    tests: ["test/**", "tests/**"],
    files: [...WEB, "index.html", "vite.config.*", "astro.config.*", "tsconfig.*.json"],
  },
  {
    name: "Electron",
    words: /\b(?:electron|tauri)\b/i,
    source: ["src/**", "src-tauri/**", "public/**", "assets/**"],
    tests: ["test/**"],
    files: [...NODE, "index.html", "vite.config.*", "forge.config.*"],
  },
  {
    name: "Django",
    words: /\bdjango\b/i,
    source: ["src/**", "config/**", "apps/**", "templates/**", "static/**"],
    tests: ["tests/**"],
    files: [...PYTHON, "manage.py"],
  },
  {
    name: "Python",
    words: /\b(?:python|flask|fastapi|pytest|pandas|scikit-?learn|pytorch|tensorflow|jupyter|streamlit)\b/i,
    source: ["src/**", "app/**", "notebooks/**"],
    tests: ["tests/**", "test/**"],
    files: PYTHON,
  },
  {
    name: "Rust",
    words: /\b(?:rust|cargo|axum|tokio|actix)\b/i,
    source: ["src/**", "crates/**"],
    tests: ["tests/**"],
    files: ["Cargo.toml", "Cargo.lock"],
  },
  {
    name: "Go",
    words: /\b(?:golang|go (?:service|program|module|cli|tool|server|api))\b/i,
    source: ["cmd/**", "internal/**", "pkg/**", "*.go"],
    tests: ["test/**"],
    files: ["go.mod", "go.sum", "Makefile"],
  },
  {
    name: "Android",
    words: /\b(?:kotlin|gradle|android|jetpack compose)\b/i,
    source: ["app/**", "src/**"],
    tests: ["app/src/test/**", "src/test/**"],
    files: ["build.gradle.kts", "settings.gradle.kts", "gradle.properties", "gradle/**", "gradlew", "gradlew.bat"],
  },
  {
    name: "Java",
    words: /\b(?:java|spring(?: boot)?|maven|quarkus)\b/i,
    source: ["src/main/**"],
    tests: ["src/test/**"],
    files: ["pom.xml", "mvnw", "mvnw.cmd", ".mvn/**"],
  },
  {
    name: "Rails",
    words: /\b(?:ruby|rails|sinatra)\b/i,
    source: ["app/**", "lib/**", "config/**", "db/**", "public/**", "bin/**"],
    tests: ["test/**", "spec/**"],
    files: ["Gemfile", "Gemfile.lock", "Rakefile", "config.ru"],
  },
  {
    name: "PHP",
    words: /\b(?:php|laravel|symfony)\b/i,
    source: ["app/**", "src/**", "config/**", "database/**", "public/**", "resources/**", "routes/**"],
    tests: ["tests/**"],
    files: ["composer.json", "composer.lock", "artisan", "phpunit.xml"],
  },
  {
    name: ".NET",
    words: /(?<![\w])(?:asp\.net|\.net|c#|blazor|dotnet)(?![\w])/i,
    source: ["src/**"],
    tests: ["test/**", "tests/**"],
    files: ["*.sln", "*.csproj", "Directory.Build.props", "global.json"],
  },
  {
    name: "Flutter",
    words: /\b(?:flutter|dart)\b/i,
    source: ["lib/**", "assets/**", "android/**", "ios/**", "web/**"],
    tests: ["test/**", "integration_test/**"],
    files: ["pubspec.yaml", "pubspec.lock", "analysis_options.yaml"],
  },
  {
    name: "iOS",
    words: /\b(?:swift|swiftui|ios app)\b/i,
    source: ["Sources/**", "App/**", "Resources/**"],
    tests: ["Tests/**"],
    files: ["Package.swift", "project.yml", "*.xcodeproj/**"],
  },
  {
    name: "Terraform",
    words: /\b(?:terraform|opentofu)\b/i,
    source: ["modules/**", "environments/**", "*.tf"],
    tests: ["tests/**"],
    files: [".terraform.lock.hcl", "*.tfvars.example"],
  },
  {
    name: "Node.js",
    words:
      /\b(?:node(?:\.?js)?|deno|bun|typescript|javascript|express(?:\.?js)?|fastify|nest(?:\.?js)?|npm|socket\.io)\b/i,
    source: ["src/**", "bin/**"],
    tests: ["test/**"],
    files: [...WEB],
  },
];

const BY_TYPE: Readonly<Record<string, Scaffold>> = {
  frontend: {
    name: "web",
    source: ["src/**", "app/**", "public/**"],
    tests: ["test/**", "tests/**"],
    files: [...WEB, "index.html", "vite.config.*"],
  },
  fullstack: {
    name: "full-stack",
    source: ["src/**", "app/**", "server/**", "client/**", "public/**", "migrations/**"],
    tests: ["test/**", "tests/**", "e2e/**"],
    files: WEB,
  },
  backend: { name: "service", source: ["src/**", "migrations/**"], tests: ["test/**", "tests/**"], files: [] },
  ml: {
    name: "machine learning",
    source: ["src/**", "notebooks/**", "configs/**"],
    tests: ["tests/**", "test/**"],
    files: PYTHON,
  },
  analytics: {
    name: "analytics",
    source: ["src/**", "notebooks/**", "sql/**", "reports/**"],
    tests: ["tests/**"],
    files: PYTHON,
  },
  data: {
    name: "data",
    source: ["src/**", "pipelines/**", "sql/**", "models/**"],
    tests: ["tests/**"],
    files: PYTHON,
  },
  mobile: {
    name: "mobile",
    source: ["app/**", "src/**", "lib/**", "assets/**", "android/**", "ios/**"],
    tests: ["test/**", "tests/**"],
    files: [],
  },
  infra: { name: "infrastructure", source: ["infra/**", "modules/**", "deploy/**"], tests: ["test/**"], files: [] },
  cli: { name: "command line", source: ["src/**", "bin/**", "cmd/**"], tests: ["test/**", "tests/**"], files: [] },
  library: { name: "library", source: ["src/**", "lib/**"], tests: ["test/**", "tests/**"], files: [] },
  desktop: { name: "desktop", source: ["src/**", "assets/**"], tests: ["test/**"], files: [] },
  docs: { name: "documentation", source: ["docs/**"], tests: ["test/**"], files: ["mkdocs.yml"] },
  embedded: {
    name: "embedded",
    source: ["src/**", "include/**", "lib/**"],
    tests: ["test/**"],
    files: ["platformio.ini", "CMakeLists.txt", "Makefile"],
  },
  game: { name: "game", source: ["src/**", "assets/**", "scenes/**", "scripts/**"], tests: ["test/**"], files: [] },
};

const PLAIN: Scaffold = { name: "new", source: ["src/**"], tests: ["test/**"], files: [] };

/**
 * The scaffold of a new project. A technology decides before a type: its tools say where files must be. Contract: pure and
 * total; `type` is a project type of intake, null when it is not known.
 */
export function scaffoldFor(text: string, type: string | null): Scaffold {
  const named = BY_TECHNOLOGY.find(({ words }) => words.test(text));
  const typed = type !== null && Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  return named ?? typed ?? PLAIN;
}
