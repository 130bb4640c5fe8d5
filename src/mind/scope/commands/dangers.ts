import { isCredentialPath, isKeyPath } from "../paths.js";
import { INTERPRETERS, SHELLS } from "./programs.js";
import { gitParts, type PathUse, type ReadCommand } from "./read-command.js";

/*
 * Classes of harm that need a look at options and operands together. Each has a name; what follows from it is said by
 * guardrails in the registry, not here.
 */

type Danger =
  | "destroys"
  | "force_push"
  | "rewrites_history"
  | "reads_credentials"
  | "sends_credentials"
  | "runs_downloaded_code"
  | "runs_hidden_code"
  | "escalates_privileges"
  | "leaves_sandbox"
  | "opens_backdoor"
  | "skips_verification"
  | "publishes";

/** Contract: pure and total. */
export function dangersOf(command: ReadCommand, hosts: readonly string[], paths: readonly PathUse[]): Danger[] {
  const found = new Set<Danger>();
  const { name } = command;
  const args = command.words.slice(1).map(({ text }) => text);
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));

  if (destroys(name, args, paths)) found.add("destroys");
  if (name === "git") for (const danger of gitDangers(command)) found.add(danger);

  const text = [...args, ...command.redirects.map(({ target }) => target.text)];
  const names = (what: (path: string) => boolean) =>
    paths.some(({ path }) => what(path)) || (name !== "echo" && text.some((word) => mentions(word, what)));
  const credentials = names(isCredentialPath);
  if (credentials && names(isKeyPath)) found.add("reads_credentials");
  const fromSecrets = command.fedBy.some((feeder) => feeder === "env" || feeder === "printenv" || feeder === "set");
  const reaches = hosts.length > 0 || SENDERS.has(name);
  if (reaches && (credentials || fromSecrets || has(/\$\(?\s*(?:env|printenv)\b/))) found.add("sends_credentials");

  const runs = SHELLS.has(name) || INTERPRETERS.has(name) || name === "eval" || name === "source" || name === ".";
  const nested = command.words.flatMap((word) => word.runs).join("\n");
  if (runs && (command.fedBy.some((feeder) => DOWNLOADERS.has(feeder)) || /\b(?:curl|wget|fetch)\b/.test(nested)))
    found.add("runs_downloaded_code");
  const decoded = /\b(?:base64|base32|xxd|openssl|uudecode|gunzip|zcat|rev)\b/;
  if (runs && (decoded.test(command.fedBy.join(" ")) || decoded.test(nested))) found.add("runs_hidden_code");

  const started = [name, ...command.wrappers];
  if (started.some((program) => PRIVILEGED.has(program)) || (name === "chmod" && has(/^[ugo]*\+[rwx]*s|^[2467]\d{3}$/)))
    found.add("escalates_privileges");
  if (started.some((program) => OUTSIDERS.has(program)) || has(UNSAFE_OPTIONS)) found.add("leaves_sandbox");
  if (name === "gdb" && has(/^-p$|^--pid/)) found.add("leaves_sandbox");

  const socket = command.redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.text));
  if (socket || (/^(?:nc|ncat|netcat)$/.test(name) && has(/^-\w*[ec]$|^--(?:exec|sh-exec)/)))
    found.add("opens_backdoor");
  if (name === "socat" && has(/^(?:exec|system):/i)) found.add("opens_backdoor");

  const skipping = command.assignments.some((one) =>
    /^(?:HUSKY|HUSKY_SKIP_HOOKS|SKIP|PRE_COMMIT_ALLOW_NO_CONFIG)$/.test(one.name),
  );
  if (has(/^--no-verify$/) || skipping) found.add("skips_verification");
  if (publishes(name, args)) found.add("publishes");
  return [...found];
}

const SENDERS = new Set(
  "curl wget nc ncat netcat scp rsync ssh sftp ftp socat http xh mail sendmail dig nslookup host".split(" "),
);
const DOWNLOADERS = new Set(["curl", "wget", "fetch", "http", "xh", "aria2c"]);
const PRIVILEGED = new Set([
  "sudo",
  "doas",
  "su",
  "pkexec",
  "runuser",
  "setpriv",
  "capsh",
  "usermod",
  "passwd",
  "visudo",
]);
const OUTSIDERS = new Set(
  "unshare nsenter chroot bwrap mount umount docker podman crictl ctr runc systemctl systemd-run crontab at launchctl insmod modprobe iptables nft sysctl setenforce firejail".split(
    " ",
  ),
);
const UNSAFE_OPTIONS =
  /^--(?:unsafe-no-sandbox|no-sandbox|dangerously-[\w-]+|yolo|privileged|disable-sandbox|bypass-[\w-]+)\b/;

function destroys(name: string, args: readonly string[], paths: readonly PathUse[]): boolean {
  if (/^(?:mkfs|wipefs|fdisk|parted|sgdisk)/.test(name)) return true;
  const device = /^\/dev\/(?:sd|nvme|vd|hd|xvd|mmcblk|disk|mapper|mem|kmem)/;
  if (paths.some(({ path, access }) => access !== "read" && device.test(path))) return true;
  const recursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(arg));
  const root =
    /^(?:\/+\**|\/+\.+\/?\**|~\/?\**|\$\{?HOME[^}/]*\}?\/?\**|\/(?:etc|usr|bin|sbin|lib|lib64|boot|var|home|root|opt|proc|sys|dev)(?:\/\**)?|\/(?:home|root|Users)\/[^/]*\/?\**)$/;
  const reaches =
    args.some((arg) => root.test(arg)) || paths.some(({ path, access }) => access !== "read" && root.test(path));
  if (name === "rm" || name === "shred")
    return reaches && (recursive || name === "shred" || args.some((arg) => arg.includes("*")));
  if (/^(?:chmod|chown|chgrp)$/.test(name)) return recursive && reaches;
  if (name === "find")
    return paths.some(({ path, access }) => access === "delete" && root.test(path.replace(/\/\*\*$/, "") || "/"));
  return name === "mv" && reaches && args.includes("/dev/null");
}

function gitDangers({ words, assignments }: ReadCommand): Danger[] {
  const { name, args: given } = gitParts(words);
  const args = given.map(({ text }) => text);
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  const found: Danger[] = [];
  if (name === "push") {
    if (has(/^-[a-zA-Z]*f|^--force|^--mirror$|^--delete$|^-d$|^--prune$|^\+|^:./)) found.push("force_push");
    found.push("publishes");
  }
  const dropping =
    /^(?:filter-branch|filter-repo|prune|replace|fast-import)$/.test(name) ||
    (name === "reflog" && has(/^(?:expire|delete)$/)) ||
    (name === "gc" && has(/^--prune/)) ||
    (name === "update-ref" && has(/^-d$|^--stdin$/)) ||
    (name === "branch" && has(/^-[a-zA-Z]*[DM]|^--force$/)) ||
    (name === "tag" && has(/^-[a-zA-Z]*[df]/)) ||
    (name === "stash" && has(/^clear$/));
  if (dropping) found.push("rewrites_history");
  if (/^(?:commit|merge|rebase|am|push)$/.test(name) && has(/^--no-verify$/)) found.push("skips_verification");
  if (name === "commit" && has(/^-[a-mo-zA-Z]*n/)) found.push("skips_verification");
  const settings = words.map(({ text }) => text.toLowerCase()).join(" ");
  if (/core\.hookspath/.test(settings)) found.push("skips_verification");
  if (name === "credential" || (name === "config" && /credential|extraheader/.test(settings)))
    found.push("reads_credentials");
  if (assignments.some((one) => /^GIT_(?:SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|CONFIG\w*|DIR|TRACE\w*)$/.test(one.name)))
    found.push("leaves_sandbox");
  return found;
}

/** Words of a command that name a place where secrets lie, whatever the command is. */
function mentions(text: string, what: (path: string) => boolean): boolean {
  return text.length < 4096 && text.split(/[=@:,]/).some((part) => /[/.~]/.test(part) && what(part));
}

function publishes(name: string, args: readonly string[]): boolean {
  const [verb = "", second = ""] = args.filter((arg) => !arg.startsWith("-"));
  if (/^(?:npm|pnpm|yarn|cargo|bun|poetry|uv|vsce)$/.test(name)) return /^(?:publish|unpublish|deprecate)$/.test(verb);
  if (name === "twine") return verb === "upload";
  if (name === "gem") return verb === "push";
  if (name === "docker" || name === "podman") return verb === "push";
  if (name === "gh")
    return (
      /^(?:release|pr|repo|secret|workflow|api|gist)$/.test(verb) && !/^(?:view|list|diff|status|checks)$/.test(second)
    );
  return (
    /^(?:terraform|kubectl|helm|flyctl|vercel|netlify|heroku|serverless)$/.test(name) &&
    /^(?:apply|destroy|delete|deploy|install|upgrade|create|replace|rollout)/.test(verb)
  );
}
