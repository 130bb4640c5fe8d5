import { VALUED_BY_FETCHERS } from "./programs.js";
import { gitParts, type ReadCommand } from "./read-command.js";
import type { Word } from "./shell-word.js";

/*
 * The hosts a command would reach. A program that is known to talk to the network and does not say with whom makes the
 * line undecidable: it is never taken for one that stays at home.
 */

interface Hosts {
  readonly hosts: readonly string[];
  readonly problems: readonly string[];
}

/** Contract: pure and total. Names in lower case, without port, user and trailing dot. */
export function hostsOf(command: ReadCommand): Hosts {
  const problems: string[] = [];
  const hosts = new Set<string>();
  const words = command.words.slice(1);
  const add = (host: string | null) => {
    if (host !== null && host !== "") hosts.add(host);
  };
  const unknown = (word?: Word) => {
    if (word === undefined || word.dynamic) problems.push(`the host ${command.name} reaches cannot be determined`);
  };

  for (const { target, operator } of command.redirects)
    if (operator !== "runs") add(/^\/dev\/(?:tcp|udp)\/([^/]+)/.exec(target.text)?.[1] ?? null);
  if (!QUOTERS.has(command.name))
    for (const { text } of words) for (const match of text.matchAll(URL)) add(hostName(match[1] as string));

  const operands = words.filter(({ text }) => !text.startsWith("-"));
  if (FETCHERS.has(command.name)) {
    if (words.some(({ text }) => /^(?:-K|--config|-i|--input-file)$/.test(text))) unknown();
    // A value of an option that is not known may be taken for a host: asking once too often is the safe mistake.
    const named = operands
      .filter((word) => !VALUED_BY_FETCHERS.includes(words[words.indexOf(word) - 1]?.text ?? ""))
      .filter(({ text }) => /^[\w-]+(?:\.[\w-]+)+(?:[:/?#]|$)|^localhost\b|^\d+\.\d+/.test(text));
    for (const word of named) add(hostName(word.text));
    if (words.some(({ dynamic }) => dynamic) || command.fed) unknown();
    if (hosts.size === 0) unknown();
  } else if (TALKERS.has(command.name)) {
    const [first] = operands;
    if (first === undefined || first.dynamic) unknown(first);
    else add(hostName(first.text.replace(/^[^@]*@/, "")));
  } else if (COPIERS.has(command.name)) {
    for (const { text } of operands) add(remoteHost(text));
  } else if (command.name === "socat" || command.name === "openssl") {
    for (const { text } of words) add(hostName(/(?:tcp\w*|udp\w*|openssl|ssl):([^:,]+)/i.exec(text)?.[1] ?? ""));
    const at = words.findIndex(({ text }) => text === "-connect");
    if (at !== -1) add(hostName(words[at + 1]?.text ?? ""));
  } else if (command.name === "git") gitHosts(command.words, add, unknown);
  else for (const host of registryHosts(command.name, operands, words)) add(host);
  if (CLOUDS.has(command.name)) unknown();
  return { hosts: [...hosts], problems };
}

const URL = /[a-z][a-z0-9+.-]*:\/\/([^/\s'"?#]*)/gi;
/** Programs that may name an address without going there. */
const QUOTERS = new Set("echo printf grep egrep fgrep rg sed awk cat test [ head tail wc ls find".split(" "));
const FETCHERS = new Set(["curl", "wget", "http", "https", "xh", "aria2c", "lynx", "w3m", "links", "fetch", "axel"]);
const TALKERS = new Set(
  "ssh sftp telnet nc ncat netcat ftp tftp ping ping6 traceroute dig nslookup host whois mosh rlogin rsh smbclient".split(
    " ",
  ),
);
const COPIERS = new Set(["scp", "rsync"]);
const CLOUDS = new Set("aws gcloud az kubectl helm terraform flyctl heroku vercel netlify doctl ansible".split(" "));

function hostName(text: string): string | null {
  const withoutScheme = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const authority = withoutScheme.split(/[/?#]/, 1)[0] as string;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return normaliseHost(host);
}

/** Contract: lower case, without port and trailing dot; null for what is not a host. */
export function normaliseHost(text: string): string | null {
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(text.trim());
  const host = bracketed?.[1] ?? text.trim().replace(/:\d*$/, "");
  const bare = host.toLowerCase().replace(/\.+$/, "");
  return /^[\p{L}\p{N}._:*-]+$/u.test(bare) ? bare : null;
}

/** `user@host:path` of scp, rsync and git. */
function remoteHost(text: string): string | null {
  if (text.includes("://")) return null;
  const match = /^(?:[^@/:]+@)?([^/:]+):(?!\\)/.exec(text);
  return match === null ? null : normaliseHost(match[1] as string);
}

function gitHosts(words: readonly Word[], add: (host: string | null) => void, unknown: (word?: Word) => void): void {
  const { name, args } = gitParts(words);
  if (!/^(?:clone|fetch|pull|push|ls-remote|remote|submodule|archive|request-pull|send-email)$/.test(name)) return;
  const operands = args.filter(({ text }) => !text.startsWith("-"));
  if (name === "remote" && !/^(?:add|set-url|update|prune)$/.test(operands[0]?.text ?? "")) return;
  if (name === "submodule" && !/^(?:add|update|sync)$/.test(operands[0]?.text ?? "")) return;
  const target = name === "remote" ? operands[2] : name === "submodule" ? operands[1] : operands[0];
  if (target === undefined || target.dynamic) return unknown(target);
  const host = target.text.includes("://") ? hostName(target.text) : remoteHost(target.text);
  // A path is a repository nearby; a plain name is a remote whose address is not in the line.
  if (host !== null) add(host);
  else if (!/^[./~]/.test(target.text)) unknown();
}

function registryHosts(name: string, operands: readonly Word[], words: readonly Word[]): readonly string[] {
  const verb = operands[0]?.text ?? "";
  if (words.some(({ text }) => /^--(?:registry|index-url|offline|no-index)/.test(text))) return [];
  const gets =
    /^(?:i|install|ci|add|update|up|upgrade|publish|login|adduser|audit|view|info|search|outdated|unpublish|deprecate|dlx|create|init|whoami|token|download|fetch|get|pull|push|sync|tool)$/.test(
      verb,
    );
  const installs = gets || (name === "yarn" && verb === "");
  switch (name) {
    case "npm":
    case "pnpm":
    case "bun":
      return installs ? ["registry.npmjs.org"] : [];
    case "yarn":
      return installs ? ["registry.yarnpkg.com"] : [];
    case "pip":
    case "pipx":
    case "poetry":
    case "uv":
    case "twine":
      return gets || verb === "upload" ? ["pypi.org"] : [];
    case "cargo":
      return gets ? ["crates.io"] : [];
    case "go":
      return verb === "get" || verb === "install" || operands[1]?.text === "download" ? ["proxy.golang.org"] : [];
    case "gem":
    case "bundle":
      return gets ? ["rubygems.org"] : [];
    case "docker":
    case "podman":
      return verb === "pull" || verb === "push" || verb === "run" ? ["registry-1.docker.io"] : [];
    case "gh":
      return ["api.github.com"];
    case "glab":
      return ["gitlab.com"];
    case "apt":
    case "apt-get":
      return ["deb.debian.org"];
    case "brew":
      return gets ? ["formulae.brew.sh"] : [];
    default:
      return [];
  }
}
