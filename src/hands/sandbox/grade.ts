import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFileSync } from "../../foundation/files/read-files.js";
import type { SandboxGrade } from "../../model/scope.js";
import { findProgram } from "./programs.js";
import { seccompFilter } from "./seccomp.js";

/* Grades the sandbox of this machine by trying it once, and says how to mend what is missing. Never guessed from versions. */

export interface Tools {
  readonly bwrap: string;
  readonly prlimit: string;
  readonly timeout: string;
  readonly setpriv: string;
  readonly unshare: string;
}

/** The parts of a sandbox that a machine may lack. */
export interface Features {
  readonly seccomp: boolean;
  readonly disableUserns: boolean;
  /** Under a Coordinator of root: that sandboxes run as a user of their own. */
  readonly ownUser: boolean;
}

interface SandboxReport {
  readonly grade: SandboxGrade;
  /** Missing features; empty for `strong`. */
  readonly reasons: readonly string[];
  /** Commands to type, in order. */
  readonly fix: readonly string[];
}

export interface Abilities extends SandboxReport {
  /** Null when there is no bubblewrap to be used. */
  readonly bubblewrap: { readonly tools: Tools; readonly features: Features } | null;
}

let found: Abilities | null = null;

/** Contract: tries once in the life of the process and remembers. */
export function findAbilities(): Abilities {
  found ??= process.platform === "linux" ? onLinux(tryLinux()) : gradeOther(process.platform);
  return found;
}

/** Reports the sandbox for `doctor`. */
export function sandboxReport(): SandboxReport {
  const { grade, reasons, fix } = findAbilities();
  return { grade, reasons, fix };
}

/** Observations of a Linux machine. Judging them is apart from looking, so that tests can judge every machine. */
export interface LinuxTrial {
  readonly missing: readonly string[];
  readonly tools: Tools | null;
  readonly filter: boolean;
  readonly root: boolean;
  /** The error of bubblewrap when it was tried; null when it worked. In the order in which less and less is asked. */
  readonly whole: string | null;
  readonly withoutDisableUserns: string | null;
  readonly asRoot: string | null;
  readonly appArmor: boolean;
  readonly installer: "apt" | "dnf" | "pacman" | "apk" | "zypper" | null;
}

const PACKAGE_OF: Readonly<Record<string, string>> = {
  bwrap: "bubblewrap",
  prlimit: "util-linux",
  setpriv: "util-linux",
  unshare: "util-linux",
  timeout: "coreutils",
};

export function onLinux(trial: LinuxTrial): Abilities {
  const { tools } = trial;
  if (tools === null)
    return withoutAbilities(
      trial.missing.map((name) => `${name} is not installed`),
      adviseInstall(trial),
    );
  const noFilter = trial.filter ? [] : [`There is no filter of system calls for ${process.arch}`];
  const features = { seccomp: trial.filter, disableUserns: true, ownUser: trial.root };
  const describeGrade = (grade: SandboxGrade, features: Features, reasons: string[], fix: string[]): Abilities => ({
    grade,
    reasons,
    fix,
    bubblewrap: { tools, features },
  });
  if (trial.whole === null) return describeGrade(trial.filter ? "strong" : "reduced", features, noFilter, []);
  if (trial.withoutDisableUserns === null)
    return describeGrade(
      "reduced",
      { ...features, disableUserns: false },
      ["bubblewrap is older than 0.8 and cannot forbid further user namespaces", ...noFilter],
      ["Install bubblewrap 0.8 or newer."],
    );
  if (trial.root && trial.asRoot === null)
    return describeGrade(
      "reduced",
      { ...features, ownUser: false },
      [
        `Only root may make user namespaces here, so agents cannot run as a user of their own (${trial.whole})`,
        ...noFilter,
      ],
      advisePermission(trial),
    );
  return withoutAbilities([`bubblewrap cannot make its namespaces: ${trial.whole}`], advisePermission(trial));
}

function withoutAbilities(reasons: string[], fix: string[]): Abilities {
  return { grade: "none", reasons, fix, bubblewrap: null };
}

function adviseInstall({ missing, installer }: LinuxTrial): string[] {
  const packages = [...new Set(missing.map((name) => PACKAGE_OF[name] ?? name))].join(" ");
  const commands = {
    apt: `sudo apt-get install -y ${packages}`,
    dnf: `sudo dnf install -y ${packages}`,
    pacman: `sudo pacman -S --needed ${packages}`,
    apk: `sudo apk add ${packages}`,
    zypper: `sudo zypper install -y ${packages}`,
  };
  return [installer === null ? `Install with the package manager of this system: ${packages}` : commands[installer]];
}

function advisePermission({ appArmor }: LinuxTrial): string[] {
  if (appArmor)
    return [
      "sudo apt-get install -y apparmor-profiles && sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
      "Or, for all programs: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ];
  return [
    "sudo sysctl -w user.max_user_namespaces=15000",
    "Where the setting exists: sudo sysctl -w kernel.unprivileged_userns_clone=1",
    "In a container: start it with permission for user namespaces, such as --security-opt seccomp=unconfined --security-opt systempaths=unconfined",
  ];
}

function gradeOther(platform: string): Abilities {
  if (platform === "darwin" && findProgram("sandbox-exec") !== null)
    return {
      grade: "reduced",
      reasons: ["macOS has no process namespaces: processes are found again by group and by mark"],
      fix: ["For a strong sandbox run the Coordinator in a Linux virtual machine."],
      bubblewrap: null,
    };
  return withoutAbilities(
    [`There is no sandbox for ${platform}`],
    ["Run the Coordinator on Linux, or in WSL 2 on Windows."],
  );
}

function tryLinux(): LinuxTrial {
  const names = Object.keys(PACKAGE_OF);
  const at = Object.fromEntries(names.map((name) => [name, findProgram(name)]));
  const missing = names.filter((name) => at[name] === null);
  const tools = missing.length === 0 ? (at as unknown as Tools) : null;
  const root = process.getuid?.() === 0;
  const user = root ? ["--reuid", "60600", "--regid", "60600", "--clear-groups"] : [];
  const whole = tools === null ? "" : attempt(tools, user, true);
  const withoutDisableUserns = tools === null || whole === null ? whole : attempt(tools, user, false);
  const asRoot = !root || tools === null || withoutDisableUserns === null ? whole : attempt(tools, [], true);
  const installers = { apt: "apt-get", dnf: "dnf", pacman: "pacman", apk: "apk", zypper: "zypper" } as const;
  return {
    missing,
    tools,
    filter: seccompFilter() !== null,
    root,
    whole,
    withoutDisableUserns,
    asRoot,
    appArmor: readSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1",
    installer:
      (Object.keys(installers) as (keyof typeof installers)[]).find((name) => findProgram(installers[name]) !== null) ??
      null,
  };
}

/** One sandbox with everything that can fail in it, around a program that does nothing. Null when it worked. */
function attempt(tools: Tools, identity: readonly string[], disableUserns: boolean): string | null {
  const { status, stderr, error } = spawnSync(
    tools.setpriv,
    [
      [...identity, "--pdeathsig", "KILL", "--", tools.timeout, "--signal=KILL", "20", tools.bwrap],
      ["--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-pid", "--unshare-net", "--unshare-ipc"],
      ["--unshare-uts", "--unshare-cgroup-try", ...(disableUserns ? ["--disable-userns"] : [])],
      ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc", "/proc"],
      ["--dev", "/dev", "--size", "4096", "--tmpfs", "/tmp", "--remount-ro", "/", "--", "/bin/sh", "-c", "exit 0"],
    ].flat(),
    { env: { PATH: "/usr/bin:/bin" }, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] },
  );
  if (status === 0) return null;
  return error?.message ?? (stderr.trim().split("\n").at(-1) || `it ended with ${status}`);
}

function readSetting(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}
