/** The exit codes of the program. Scripts rely on these; they change only with a major version. */
export const EXIT = {
  done: 0,
  failed: 1,
  invalid: 2,
  waiting: 3,
  refused: 4,
  unverified: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
