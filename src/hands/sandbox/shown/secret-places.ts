import { homedir, tmpdir, userInfo } from "node:os";
import { join, relative, sep } from "node:path";
import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { isBelow } from "../../../foundation/files/is-below.js";

/*
 * Places that are never shown in a sandbox, no matter who asks: where people and programs keep logins, keys and histories, and
 * where other programs put their sockets. They are refused by name, so it makes no difference whether they exist yet.
 */

/** Below a home directory. A folder stands for everything in it. */
const IN_HOME: readonly string[] = [
  ...[
    ".ssh .gnupg .pki .password-store .vault-token .netrc .authinfo .authinfo.gpg",
    ".git-credentials .gitconfig .config/git .config/gh .config/hub .config/glab-cli .config/tea",
    ".aws .azure .kube .docker .terraform.d .terraformrc .oci .boto .s3cfg .config/doctl",
    ".config/gcloud .config/containers .config/rclone .config/helm .fly .config/flyctl .heroku",
    ".npmrc .yarnrc .yarnrc.yml .config/configstore .pypirc .config/pip .pip .config/pypoetry",
    ".cargo/credentials .cargo/credentials.toml .gem/credentials .bundle .m2/settings.xml",
    ".m2/settings-security.xml .gradle/gradle.properties .config/composer .composer/auth.json .nuget/NuGet",
    ".pgpass .my.cnf .mylogin.cnf .dbshell .config/op .op .config/1Password .config/Bitwarden",
    ".config/keepassxc .local/share/keyrings .local/share/kwalletd .kde4/share",
    ".mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/opera",
    ".config/microsoft-edge .config/vivaldi .config/Slack .config/discord .config/Signal .config/Code",
    ".config/Cursor .config/VSCodium .vscode-server .cursor-server .local/share/code-server",
    ".bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history",
    ".claude .claude.json .codex .gemini .copilot .config/goose .config/opencode .config/claude",
    ".local/share/opencode .local/share/goose .config/github-copilot .cursor .config/codex .ollama",
    ".config/coordinator .local/state/coordinator .bitcoin .ethereum .electrum .config/solana .age .sops",
    ".config/sops .config/systemd .config/autostart .dbus .Xauthority .ICEauthority .emacs.d/server",
    "Library/Keychains Library/Cookies Library/Containers",
  ].flatMap((line) => line.split(" ")),
  ".config/Bitwarden CLI",
  "Library/Application Support",
  ...Object.values(KNOWN_LOGINS).flatMap(({ files }) => [...files]),
];

/** Programs that their makers install beside their logins. */
const PROGRAMS_IN_HOME: readonly string[] = [".claude/local/node_modules"];

/** Names that mean the same wherever they stand: in another home, in a copy of one, in a backup. */
const ANYWHERE = new Set([".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla"])
  .add(".git-credentials")
  .add(".netrc")
  .add(".coordinator");

/** The system's own. */
const SYSTEM = ["/etc", "/proc", "/sys", "/dev", "/run", "/var/run", "/boot", "/var/lib", "/var/spool", "/var/log"];

/** Folders in which every program may make a socket. Something below them may be shown, they themselves never. */
const SHARED = ["/tmp", "/var/tmp", "/dev/shm"];

/** Folders other programs make for their sockets below those. */
const OF_SOCKETS =
  /^(?:tmux-\d+|ssh-[^/]*|\.X11-unix|\.ICE-unix|\.font-unix|screens?|uscreens|gpg-[^/]*|dbus-[^/]*|vscode-[^/]*|systemd-private-.*|pulse-.*|emacs\d+)$/;

export interface People {
  /** Every directory that is somebody's home as far as this process can tell. */
  readonly homes: readonly string[];
  /** Folders for sockets and for state that the environment names. */
  readonly more: readonly string[];
}

/** Reads the environment of this process. */
export function peopleHere(env: NodeJS.ProcessEnv = process.env): People {
  const homes = [env["HOME"], homedir(), accountHome(), "/root"].filter((home) => home?.startsWith("/") === true);
  const named = [env["XDG_RUNTIME_DIR"], env["XDG_CONFIG_HOME"], env["GNUPGHOME"], env["CODEX_HOME"]];
  const state = env["XDG_STATE_HOME"] === undefined ? [] : [join(env["XDG_STATE_HOME"], "coordinator")];
  return {
    homes: [...new Set(homes as string[])],
    more: [...named.filter((place) => place?.startsWith("/") === true), ...state] as string[],
  };
}

function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

/**
 * Why a place must not be shown, in words that follow its name; null when it may be.
 *
 * Contract: `real` is a real path. A place is refused when it is a secret one, lies in one, or holds one.
 */
export function secretObjection(real: string, { homes, more }: People): string | null {
  const holdsHome = homes.find((home) => isBelow(home, real)) ?? ["/home", "/Users"].find((all) => isBelow(all, real));
  if (holdsHome !== undefined) return "it holds more than a program: it is a home directory or holds one";
  if (/^\/(?:home|Users)\/[^/]+$/.test(real)) return "it holds more than a program: it is a home directory";
  if (SYSTEM.some((folder) => isBelow(real, folder) || isBelow(folder, real)))
    return "it holds more than a program: it belongs to the system";
  const shared = [...SHARED, tmpdir()].find((folder) => isBelow(folder, real));
  if (shared !== undefined) return "every program of this machine may make sockets in it";
  const sockets = SHARED.find((folder) => OF_SOCKETS.test(relative(folder, real).split(sep)[0] ?? ""));
  if (sockets !== undefined) return "it is made for sockets of other programs";
  const part = real.split(sep).find((name) => ANYWHERE.has(name));
  if (part !== undefined) return `it holds more than a program: ${part} is a place for logins and keys`;
  const around = homesAround(real, homes);
  if (around.some((home) => PROGRAMS_IN_HOME.some((name) => isBelow(real, join(home, name))))) return null;
  const inHome = around.flatMap((home) => IN_HOME.map((name) => join(home, name)));
  const secret = [...inHome, ...more].find((place) => isBelow(real, place) || isBelow(place, real));
  if (secret === undefined) return null;
  const how = isBelow(real, secret) ? "is" : "holds";
  return `it holds more than a program: it ${how} ${secret}, a place for logins, keys or the state of other programs`;
}

/** Whether a name found inside a folder makes the whole folder a secret one. */
export function isSecretName(name: string): boolean {
  return ANYWHERE.has(name);
}

/** The homes this process knows, and the one a path below /home or /Users lies in. */
function homesAround(real: string, homes: readonly string[]): string[] {
  const other = /^\/(?:home|Users)\/[^/]+/.exec(real)?.[0];
  return [...new Set([...homes, ...(other === undefined ? [] : [other])])];
}
