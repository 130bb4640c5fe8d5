/* Which repository of which server an address names. Contract: pure; null for what is no such address. */

export interface HostPlace {
  /** With the port, where one is named. */
  readonly server: string;
  /** OWNER/NAME. */
  readonly repository: string;
}

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

function placeOf(server: string, path: string): HostPlace | null {
  const parts = path
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "")
    .split("/");
  const [owner = "", name = ""] = parts;
  if (server === "" || parts.length !== 2 || !NAME.test(owner) || !NAME.test(name) || /^\.+$/.test(name)) return null;
  return { server: server.toLowerCase(), repository: `${owner}/${name}` };
}
