/*
 * Which files are tests, by the conventions of languages and runners: what a test is made of (its code, what it expects,
 * what it stands on) is judged by the base's own version of it.
 */

const FOLDERS = new Set(
  "test tests __tests__ __test__ spec specs __snapshots__ __mocks__ testdata test-data e2e cypress".split(" "),
);

const NAMES: readonly RegExp[] = [
  /(?:^|[._-])(?:test|tests|spec|specs)\.[cm]?[jt]sx?$/,
  /\.(?:test|spec)-d\.[cm]?ts$/,
  /\.snap$/,
  /^(?:test_.*|.*_tests?|tests?|conftest)\.py$/,
  /_test\.go$/,
  /_(?:test|spec)\.(?:rb|exs?|dart|c|cc|cpp|cxx|lua|php|sh|rs)$/,
  /^tests?(?:[_-].*)?\.(?:c|cc|cpp|cxx|rb|sh|bash|rs|lua|php|pl|mjs|cjs)$/,
  /^test-.*\.[cm]?[jt]sx?$/,
  /(?:Test|Tests|TestCase|IT|Spec)\.(?:java|kt|kts|cs|swift|scala|php|groovy|m)$/,
  /\.(?:t|bats|feature)$/,
];

export function isTestFile(path: string): boolean {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  return parts.some((folder) => FOLDERS.has(folder.toLowerCase())) || NAMES.some((pattern) => pattern.test(name));
}

const DOCUMENTS = /\.(?:md|mdx|markdown|rst|adoc|txt|png|jpe?g|gif|svg|webp|ico|pdf)$/i;
const DOCUMENT_NAMES = /^(?:readme|license|licence|copying|notice|authors|changelog|changes|history|contributing)$/i;

/** Contract: what only people read. */
export function isDocument(path: string): boolean {
  const name = path.split("/").at(-1) ?? "";
  return DOCUMENTS.test(name) || DOCUMENT_NAMES.test(name);
}

const SOURCE_FOLDERS = new Set("src lib source sources app pkg packages internal cmd include".split(" "));

/** In a folder where products are kept. Contract: only a hint; a folder may be called anything. */
export function isInSourceFolder(path: string): boolean {
  const folders = path.split("/").slice(0, -1);
  return folders.some((folder) => SOURCE_FOLDERS.has(folder.toLowerCase()));
}
