import { lookup as systemLookup } from "node:dns/promises";
import { createServer, type Server } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isInnerAddress } from "./addresses.js";

/** `api.example.com`, `*.example.com` (what is below it, not itself), an address; `:port` when it is not 443. */
export type HostRule = string;

export interface ConnectTraffic {
  readonly connections: number;
  readonly refused: readonly { readonly host: string; readonly why: string; readonly times: number }[];
  readonly bytes_up: number;
  readonly bytes_down: number;
}

interface ConnectProxy {
  readonly server: Server;
  readonly traffic: () => ConnectTraffic;
}

type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;
type Answer = { readonly address: string } | { readonly why: string };

const MAX_REFUSED = 100;

/**
 * A proxy for CONNECT to listed hosts, for agents that log in by themselves. What is said in the tunnel it cannot see.
 *
 * Contract: connects to the very address it has judged, so that a name cannot lead elsewhere the second time. A name
 * that leads to this machine or its neighbours is refused unless that address is listed itself.
 */
export function connectProxy(
  rules: readonly HostRule[],
  lookup: Lookup = (host) => systemLookup(host, { all: true }),
): ConnectProxy {
  const allowed = rules.map(parseRule);
  const refused = new Map<string, { host: string; why: string; times: number }>();
  const count = { connections: 0, bytes_up: 0, bytes_down: 0 };

  const note = (host: string, why: string) => {
    const known = refused.get(`${host} ${why}`);
    if (known !== undefined) known.times++;
    else if (refused.size < MAX_REFUSED) refused.set(`${host} ${why}`, { host, why, times: 1 });
  };
  const isListed = (host: string, port: number) => allowed.some((rule) => rule.port === port && rule.matches(host));

  async function judge(host: string, port: number): Promise<Answer> {
    if (!isListed(host, port)) return { why: "not listed" };
    if (isIP(host) !== 0) return { address: host };
    const found = await lookup(host).catch(() => []);
    const open = found.find(({ address }) => !isInnerAddress(address) || isListed(address, port));
    if (open !== undefined) return open;
    return { why: found.length === 0 ? "not found" : "it leads to an address of this machine or its neighbours" };
  }

  const server = createServer((asked, answer) => {
    asked.resume();
    note(asked.headers.host ?? "", "not CONNECT");
    answer.writeHead(405, { connection: "close" }).end("Only CONNECT is served here.\n");
  });
  server.on("connect", (asked, near: Duplex, first: Buffer) => {
    near.on("error", () => near.destroy());
    const target = targetOf(asked.url ?? "");
    const judged =
      target === null ? Promise.resolve({ why: "not a host and a port" }) : judge(target.host, target.port);
    void judged.then((answer) => {
      if (target === null || "why" in answer) {
        note(String(asked.url).slice(0, 300), "why" in answer ? answer.why : "");
        return void near.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      }
      count.connections++;
      tunnel(near, first, connect({ host: answer.address, port: target.port }));
    });
  });

  function tunnel(near: Duplex, first: Buffer, far: Socket): void {
    far.once("connect", () => {
      near.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (first.length > 0) far.write(first);
      count.bytes_up += first.length;
      near.on("data", (chunk: Buffer) => (count.bytes_up += chunk.length));
      far.on("data", (chunk: Buffer) => (count.bytes_down += chunk.length));
      near.pipe(far).pipe(near);
    });
    far.on("error", () => near.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n"));
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    server.once("close", () => far.destroy());
  }
  return { server, traffic: () => ({ ...count, refused: [...refused.values()] }) };
}

function parseRule(rule: HostRule): { matches: (host: string) => boolean; port: number } {
  const target = targetOf(rule) ?? targetOf(isIP(rule) === 6 ? `[${rule}]:443` : `${rule}:443`);
  if (target === null) throw new TypeError(`${rule} is neither a host nor an address`);
  const { host, port } = target;
  if (!host.startsWith("*.")) return { matches: (asked) => asked === host, port };
  return {
    matches: (asked) => isIP(asked) === 0 && asked.endsWith(host.slice(1)) && asked.length >= host.length,
    port,
  };
}

/** Contract: null for anything but a plain name or address and a port. Names are in lower case, without a last dot. */
function targetOf(text: string): { host: string; port: number } | null {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9*._-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = (bracketed ?? plain ?? "").toLowerCase().replace(/\.$/, "");
  const port = Number(digits);
  if (host === "" || port < 1 || port > 65_535 || (bracketed !== undefined && isIP(bracketed) !== 6)) return null;
  // 0x7f.1, 2130706433, 127.1: other spellings of an address, which a resolver would take for one.
  if (isIP(host) === 0 && /^(?:0x[0-9a-f]*|\d+)$/.test(host.split(".").at(-1) ?? "")) return null;
  return { host, port };
}
