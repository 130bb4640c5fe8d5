/** `name` is a file of that name anywhere, `*.suffix` one that ends so, `folder/` anything in such a folder. */
export function matchesFile(pattern: string, path: string): boolean {
  if (pattern.endsWith("/")) return path.startsWith(pattern) || path.includes(`/${pattern}`);
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (pattern.startsWith("*")) return name.endsWith(pattern.slice(1)) || path.includes(`${pattern.slice(1)}/`);
  return name === pattern;
}
