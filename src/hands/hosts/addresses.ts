import type { HostKind } from "./code-host.js";

/* Which repository of which server an address names. Contract: pure; null for what is no such address. */

export interface HostPlace {
  /** With the port, where one is named. */
  readonly server: string;
  /** OWNER/NAME; at GitLab GROUP/SUBGROUP/NAME, too. */
  readonly repository: string;
}

/** GitLab nests twenty groups. */
const MOST_PARTS = 21;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** An address of git: `https://github.com/ada/app.git`, `git@github.com:ada/app.git`, `ssh://git@github.com/ada/app`. */
export function placeOfRemote(address: string): HostPlace | null {
  const url = URL.parse(address);
  if (url !== null && ["https:", "http:", "ssh:", "git:"].includes(url.protocol)) {
    // The port of ssh is not the one that the server's pages have.
    const server = url.protocol === "ssh:" ? url.hostname : url.host;
    return placeOf(server, url.pathname);
  }
  const [, server = "", path = ""] = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(address) ?? [];
  return placeOf(server, path);
}

/** `https://github.com/ada/app/issues/12`, `https://gitlab.com/team/ada/app/-/issues/12`. */
export function placeOfIssue(address: string): (HostPlace & { readonly number: number }) | null {
  const url = URL.parse(address);
  if (url === null || !["https:", "http:"].includes(url.protocol)) return null;
  const [, path = "", number = ""] =
    /^\/(.+?)(?:\/-)?\/(?:issues|work_items)\/([1-9]\d{0,9})\/?$/.exec(url.pathname) ?? [];
  const place = placeOf(url.host, path);
  return place === null ? null : { ...place, number: Number(number) };
}

/** As a browser shows it. */
export function addressOfIssue(kind: HostKind, { server, repository }: HostPlace, number: number): string {
  return `https://${server}/${repository}${kind === "gitlab" ? "/-" : ""}/issues/${number}`;
}

function placeOf(server: string, path: string): HostPlace | null {
  const parts = path
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "")
    .split("/");
  const isPath = parts.every((part) => NAME.test(part) && !/^[.-]+$/.test(part));
  if (server === "" || parts.length < 2 || parts.length > MOST_PARTS || !isPath) return null;
  return { server: server.toLowerCase(), repository: parts.join("/") };
}
