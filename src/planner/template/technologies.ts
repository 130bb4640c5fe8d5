/* What a new project consists of at least, by the technology its request names. */

const TECHNOLOGIES: readonly { readonly words: RegExp; readonly files: readonly string[] }[] = [
  { words: /\b(?:python|django|flask|fastapi|pytest|pandas)\b/i, files: ["pyproject.toml"] },
  { words: /\b(?:rust|cargo|axum|tokio)\b/i, files: ["Cargo.toml", "Cargo.lock"] },
  { words: /\b(?:golang|go (?:service|program|module|cli|tool|server|api))\b/i, files: ["go.mod", "go.sum"] },
  {
    words: /\b(?:node(?:\.?js)?|typescript|javascript|next\.?js|react|vue|svelte|angular|express|vite|npm|electron)\b/i,
    files: ["package.json", "package-lock.json", "tsconfig.json"],
  },
  { words: /\b(?:java|spring(?: boot)?|maven)\b/i, files: ["pom.xml"] },
  { words: /\b(?:kotlin|gradle|android)\b/i, files: ["build.gradle.kts", "settings.gradle.kts"] },
  { words: /\b(?:ruby|rails|sinatra)\b/i, files: ["Gemfile", "Gemfile.lock"] },
  { words: /\b(?:php|laravel|symfony)\b/i, files: ["composer.json", "composer.lock"] },
];

/** The manifests a new project needs; none when no technology is named. */
export function manifestsFor(text: string): readonly string[] {
  return [...new Set(TECHNOLOGIES.flatMap(({ words, files }) => (words.test(text) ? files : [])))];
}
