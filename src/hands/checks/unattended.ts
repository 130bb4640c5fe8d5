/* The environment of programs that run in a sandbox with nobody to ask and no network. */

/**
 * A project may pin the version of its package manager, and the manager then downloads that version of itself: without a
 * network it tries for minutes. Inside, the version that is installed does the work.
 */
export const PINNED_MANAGERS: Readonly<Record<string, string>> = {
  npm_config_manage_package_manager_versions: "false", // pnpm 9 and 10
  pnpm_config_pm_on_fail: "ignore", // pnpm 11
  // Scripts do not get variables that begin with npm_: a pnpm 9 or 10 that a script calls takes this for "Corepack has chosen".
  COREPACK_ROOT: "none",
  COREPACK_ENABLE_STRICT: "0",
  COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
};

/** For setup and checks. */
export const UNATTENDED: Readonly<Record<string, string>> = {
  CI: "1",
  NO_COLOR: "1",
  TERM: "dumb",
  COREPACK_ENABLE_NETWORK: "0",
  // Composer asks whether it may run as root, and takes silence for no.
  COMPOSER_ALLOW_SUPERUSER: "1",
  COMPOSER_NO_INTERACTION: "1",
  ...PINNED_MANAGERS,
};
