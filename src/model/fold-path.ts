/**
 * The path as the least careful file system sees it: without case, without signs that show nothing, without the dots and
 * blanks that some systems drop at the end. Only for asking whether a path is protected, never whether it is permitted.
 */
export function foldPath(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .split("/")
    .map((segment) => (/^\.{1,2}$/.test(segment) ? segment : segment.replace(/::?\$.*$/, "").replace(/[. ]+$/, "")))
    .map((segment) => (segment === "git~1" ? ".git" : segment))
    .join("/");
}

/** Whether a path leads into the folder of git, by whatever spelling. */
export function isGitPath(path: string): boolean {
  return hasFolder(path, ".git");
}

/** Whether one of the folders of a path is this one, by whatever spelling. */
export function hasFolder(path: string, folder: string): boolean {
  return foldPath(path).split("/").includes(folder);
}
