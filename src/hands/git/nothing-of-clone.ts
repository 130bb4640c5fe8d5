/*
 * How git is started on a repository that is not trusted. Settings that name a program are taken away, no matter who wrote them:
 * an archive brings its own `.git/config` along.
 */

/** Settings for every call that a person did not order themselves. */
export const RUNS_NOTHING = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.editor=false",
  "core.sshCommand=false",
  "core.askPass=",
  "credential.helper=",
  // A folder of a clone that looks like a bare repository is none: its settings are the clone's.
  "safe.bareRepository=explicit",
  // Showing a commit would start the program that verifies its signature.
  "log.showSignature=false",
  "gpg.program=false",
  "gpg.openpgp.program=false",
  "gpg.x509.program=false",
  "gpg.ssh.program=false",
  "gc.auto=0",
  "maintenance.auto=false",
] as const;

/**
 * The words before git's own for a folder it shall work in, and the folder to start it in, which is never the clone: a
 * version manager that stands for git on the PATH reads the files of the folder it is started in.
 */
export function gitWords(
  folder: string,
  settings: readonly string[] = RUNS_NOTHING,
): { readonly words: readonly string[]; readonly cwd: string } {
  return { words: ["-C", folder, ...settings.flatMap((setting) => ["-c", setting])], cwd: OUTSIDE };
}

/** Where a program of the person is started that is asked something outside of a sandbox: a folder without any files of a clone. */
export const OUTSIDE = "/";
