import { closeSync, constants } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { builtProgram } from "../../../foundation/processes/built-program.js";
import { chmodSync, chownSync, openSync } from "../../../foundation/files/write-files-sync.js";
import { type Mount, nodeInside, OWN } from "../layout.js";
import { type ConnectTraffic, connectProxy, type HostRule } from "./connect-proxy.js";
import { type KeyProxyOptions, keyProxy } from "./key-proxy.js";
import type { ModelTraffic } from "./traffic.js";

/*
 * The ways out of a sandbox. It has no network of its own: what is named here is a socket in a directory, and behind it
 * a proxy of the Coordinator that lets through what is listed. Programs that know only TCP reach it over a relay.
 */

export interface NetworkOptions {
  /** `auth: proxy`. The key is added outside; the agent never has it. By name, such as `anthropic`. */
  readonly keyProxies?: Readonly<Record<string, KeyProxyOptions & { readonly baseUrlVariable?: string }>>;
  /** `auth: own`. Hosts the agent may reach with its own login: `api.example.com`, `*.example.com`, with `:port`. */
  readonly hosts?: readonly HostRule[];
  /** Addresses of this machine and its neighbours among them that a person allowed in their own settings. */
  readonly inner?: readonly HostRule[];
}

export interface Network {
  readonly mounts: readonly Mount[];
  /** Stands before the command inside; empty without a network. */
  readonly relay: readonly string[];
  /** Where proxies and base addresses are, in the variables programs look for. */
  readonly env: Readonly<Record<string, string>>;
  readonly traffic: () => {
    readonly models: Readonly<Record<string, ModelTraffic>>;
    readonly hosts: ConnectTraffic | null;
  };
  readonly close: () => Promise<void>;
}

const FIRST_PORT = 8787;
const CONNECT_PORT = 3128;

/** Contract: `folder.path` is a directory that only the user of the sandbox can enter. */
export async function openNetwork(
  options: NetworkOptions = {},
  folder: { readonly path: string; readonly inside: string; readonly owner: number | null },
): Promise<Network> {
  const keys = Object.entries(options.keyProxies ?? {}).map(([name, proxy], i) => ({
    name,
    port: FIRST_PORT + i,
    variable: proxy.baseUrlVariable,
    proxy: keyProxy(proxy),
  }));
  const { hosts: rules = [], inner = [] } = options;
  const hosts = rules.length === 0 ? null : connectProxy(rules, { inner });
  const served = [
    ...keys.map(({ name, port, proxy }) => ({ name: `key-${name}`, port, server: proxy.server })),
    ...(hosts === null ? [] : [{ name: "connect", port: CONNECT_PORT, server: hosts.server }]),
  ];
  const opened = served.length === 0 ? null : openSync(folder.path, constants.O_RDONLY | constants.O_DIRECTORY);
  for (const { name, server } of served)
    await listen(server, `/proc/self/fd/${opened}/${name}`, join(folder.path, name), folder.owner);
  const traffic = () => ({
    models: Object.fromEntries(keys.map(({ name, proxy }) => [name, proxy.traffic()])),
    hosts: hosts?.traffic() ?? null,
  });
  const close = async () => {
    await Promise.all(served.map(({ server }) => end(server)));
    if (opened !== null) closeSync(opened);
  };
  if (served.length === 0) return { mounts: [], relay: [], env: {}, traffic, close };
  const program = `${OWN}/relay.mjs`;
  const routes = served.map(({ name, port }) => `${port}=${folder.inside}/${name}`);
  return {
    mounts: [
      { from: folder.path, to: folder.inside },
      { from: builtProgram(new URL("./relay.js", import.meta.url)), to: program },
    ],
    relay: [nodeInside(), "--max-old-space-size=48", "--max-semi-space-size=1", program, ...routes, "--"],
    env: {
      ...Object.fromEntries(
        keys.flatMap(({ variable, port }) => (variable === undefined ? [] : [[variable, local(port)]])),
      ),
      ...(hosts === null ? {} : proxyVariables(local(CONNECT_PORT))),
    },
    traffic,
    close,
  };
}

function local(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Both spellings: programs disagree on which one they read. Node.js heeds them from version 24 on, when asked to. */
function proxyVariables(address: string): Record<string, string> {
  const around = "127.0.0.1,localhost";
  return {
    HTTPS_PROXY: address,
    https_proxy: address,
    NO_PROXY: around,
    no_proxy: around,
    NODE_USE_ENV_PROXY: "1",
  };
}

/** `address` is the socket by way of its open folder: an address has room for 107 bytes, and a temporary folder may be deep. */
function listen(server: Server, address: string, path: string, owner: number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      chmodSync(path, 0o600);
      if (owner !== null) chownSync(path, owner, owner);
      resolve();
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
