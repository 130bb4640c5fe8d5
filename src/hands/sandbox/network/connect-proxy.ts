import { lookup as systemLookup } from "node:dns/promises";
import { createServer, type Server } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Interfaces, isInnerAddress, isOwnNetwork } from "./addresses.js";
import { readHostRule, targetOf } from "./host-rule.js";

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

interface ConnectOptions {
  /** Addresses of this machine and its neighbours that a person allowed in their own settings. */
  readonly inner?: readonly HostRule[];
  readonly lookup?: Lookup;
  /** The network cards of this machine; those of the system when absent. */
  readonly interfaces?: Interfaces;
}

interface Rule {
  readonly matches: (host: string) => boolean;
  readonly port: number;
}

type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;
type Answer = { readonly address: string } | { readonly why: string };

const MAX_REFUSED = 100;

/**
 * A proxy for CONNECT to listed hosts, for agents that log in by themselves. It cannot see the contents of the tunnel.
 *
 * Contract: connects to the very address it has judged, so that a name cannot lead elsewhere the second time. An address
 * of this machine or its neighbours is reached only when it stands in `inner` itself, whatever name led to it; a listed
 * rule that is neither a host nor an address allows nothing.
 */
export function connectProxy(
  rules: readonly HostRule[],
  { inner = [], lookup = (host) => systemLookup(host, { all: true }), interfaces }: ConnectOptions = {},
): ConnectProxy {
  const [allowed, innerAllowed] = [rules, inner].map((list) => list.flatMap(parseRule)) as [Rule[], Rule[]];
  const refused = new Map<string, { host: string; why: string; times: number }>();
  const count = { connections: 0, bytes_up: 0, bytes_down: 0 };

  const note = (host: string, why: string) => {
    const known = refused.get(`${host} ${why}`);
    if (known !== undefined) known.times++;
    else if (refused.size < MAX_REFUSED) refused.set(`${host} ${why}`, { host, why, times: 1 });
  };
  const isIn = (list: readonly Rule[], host: string, port: number) =>
    list.some((rule) => rule.port === port && rule.matches(host));
  const isInner = (address: string) => isInnerAddress(address) || isOwnNetwork(address, interfaces);
  const isOpen = (address: string, port: number) => !isInner(address) || isIn(innerAllowed, address, port);

  async function judge(host: string, port: number): Promise<Answer> {
    if (!isIn(allowed, host, port)) return { why: "not listed" };
    const found = isIP(host) === 0 ? await lookup(host).catch(() => []) : [{ address: host }];
    const open = found.find(({ address }) => isOpen(address, port));
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

function parseRule(rule: HostRule): Rule[] {
  const target = readHostRule(rule);
  if (target === null) return [];
  const { host, port } = target;
  if (!host.startsWith("*.")) return [{ matches: (asked) => asked === host, port }];
  const isUnder = (asked: string) => asked.endsWith(host.slice(1)) && asked.length >= host.length;
  return [{ matches: (asked) => isIP(asked) === 0 && isUnder(asked), port }];
}
