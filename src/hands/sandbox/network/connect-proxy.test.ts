import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Interfaces, isOwnNetwork } from "./addresses.js";
import { connectProxy } from "./connect-proxy.js";

/* The proxy by itself, with names that lead where a test says. */

type Names = Readonly<Record<string, readonly string[]>>;

async function listening(server: { listen: (port: number, host: string, done: () => void) => unknown }) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

/** The addresses among the rules are the person's own, unless a test says otherwise. */
async function proxyTo(
  rules: (port: number) => readonly string[],
  names: Names = {},
  innerOf: (port: number) => readonly string[] = rules,
  interfaces: Interfaces = {},
) {
  const echo = createServer((socket) => socket.end("reached"));
  await listening(echo);
  const { port } = echo.address() as AddressInfo;
  const lookups: string[] = [];
  const { server, traffic } = connectProxy(rules(port), {
    inner: innerOf(port),
    interfaces,
    lookup: async (host) => {
      lookups.push(host);
      const found = names[host];
      if (found === undefined) throw new Error("not found");
      return found.map((address) => ({ address }));
    },
  });
  await listening(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    echo.close();
  });
  const ask = (target: string) =>
    new Promise<string>((resolve) => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      let said = "";
      socket.on("data", (chunk: Buffer) => (said += chunk.toString("latin1")));
      socket.on("error", () => undefined).on("close", () => resolve(said.split(" ")[1] ?? ""));
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: api.example.com\r\n\r\n`);
    });
  return { ask, port, lookups, traffic };
}

describe("CONNECT", () => {
  it("is for a listed name in any case and with its last dot, on the listed port alone", async () => {
    const { ask, port } = await proxyTo((at) => [`api.example.com:${at}`, `127.0.0.1:${at}`], {
      "api.example.com": ["127.0.0.1"],
    });
    const asked = [
      [`api.example.com:${port}`, "200"],
      [`API.Example.COM:${port}`, "200"],
      [`api.example.com.:${port}`, "200"],
      [`api.example.com..:${port}`, "403"],
      [`api.example.com:${port === 443 ? 444 : 443}`, "403"],
      [`api.example.com:0${port}`, port >= 10_000 ? "403" : "200"],
      [`evil.api.example.com:${port}`, "403"],
      [`api.example.com.evil.example:${port}`, "403"],
      [`evil.example/api.example.com:${port}`, "403"],
      [`user@api.example.com:${port}`, "403"],
      [`api.example.com%00.evil.example:${port}`, "403"],
      [`http://api.example.com:${port}`, "403"],
      ["api.example.com", "403"],
    ] as const;
    for (const [target, status] of asked) expect(await ask(target), target).toBe(status);
  });

  it("asks nobody for the address of a name that is not listed: a question tells, too", async () => {
    const { ask, port, lookups } = await proxyTo((at) => [`api.example.com:${at}`]);
    for (const host of ["secret.evil.example", "api.example.com.evil.example", "127.0.0.1", "[::1]"])
      expect(await ask(`${host}:${port}`)).toBe("403");
    expect(lookups).toEqual([]);
  });

  it("refuses a listed name that leads to this machine, by whatever address, and looks it up once", async () => {
    const inner = [
      "127.0.0.1",
      "::1",
      "::ffff:127.0.0.1",
      "169.254.169.254",
      "10.0.0.1",
      "fd00::1",
      "0.0.0.0",
      "fe80::1",
    ];
    const names = Object.fromEntries(inner.map((address, i) => [`n${i}.example.com`, [address]]));
    const { ask, port, lookups, traffic } = await proxyTo((at) => [`*.example.com:${at}`], names);
    for (const [i, address] of inner.entries()) expect(await ask(`n${i}.example.com:${port}`), address).toBe("403");
    expect(lookups).toHaveLength(inner.length);
    expect(traffic().connections).toBe(0);
  });

  it("refuses a listed name that leads to a public address of this machine or of its small network", async () => {
    const card = (address: string, family: "IPv4" | "IPv6", length: number) =>
      ({ address, family, netmask: "", mac: "", internal: false, cidr: `${address}/${length}`, scopeid: 0 }) as const;
    const v4 = card("93.184.216.34", "IPv4", 20) as NonNullable<Interfaces[string]>[number];
    const v6 = card("2606:2800:220:1::5", "IPv6", 64) as NonNullable<Interfaces[string]>[number];
    const near = card("198.97.190.53", "IPv4", 24) as NonNullable<Interfaces[string]>[number];
    const cards: Interfaces = { eth0: [v4, v6], eth1: [near], eth2: undefined };
    const inner = ["93.184.216.34", "2606:2800:220:1::5", "2606:2800:220:1::77", "198.97.190.1"];
    const names = Object.fromEntries(inner.map((address, i) => [`n${i}.example.com`, [address]]));
    const { ask, port, traffic } = await proxyTo(
      (at) => [`*.example.com:${at}`],
      names,
      () => [],
      cards,
    );
    for (const [i, address] of inner.entries()) expect(await ask(`n${i}.example.com:${port}`), address).toBe("403");
    expect(traffic().connections).toBe(0);
    // A provider's network is large: its other machines are the internet.
    for (const address of ["93.184.216.35", "2606:2800:220:2::5", "198.97.191.1", "no address"])
      expect([address, isOwnNetwork(address, cards)]).toEqual([address, false]);
    // The cards of this machine are asked for when nobody names any.
    expect(isOwnNetwork("127.0.0.1")).toBe(true);
  });

  it("refuses a listed address of this machine that the person's own settings do not list, and every spelling of it", async () => {
    const spellings = ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0177.0.0.1"];
    const none = () => [];
    const { ask, port } = await proxyTo((at) => spellings.map((host) => `${host}:${at}`), {}, none);
    for (const host of spellings) expect(await ask(`${host}:${port}`), host).toBe("403");
  });

  it("connects to the address it has judged: a name that leads elsewhere the second time gains nothing", async () => {
    let times = 0;
    const { server, traffic } = connectProxy(["api.example.com"], {
      lookup: async () => {
        times++;
        // TEST-NET-3 is inner too; so the first answer is refused, and there is no second.
        return [{ address: times === 1 ? "203.0.113.1" : "127.0.0.1" }];
      },
    });
    await listening(server);
    onTestFinished(() => void server.close());
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    const said = await new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1"))).on("close", () => resolve(text));
    });
    expect(said).toContain(" 403 ");
    expect(times).toBe(1);
    expect(traffic().connections).toBe(0);
  });

  it("takes a star for names below it and for no address", async () => {
    const { ask, port } = await proxyTo((at) => [`*.example.com:${at}`, `127.0.0.1:${at}`], {
      "a.example.com": ["127.0.0.1"],
      "example.com": ["127.0.0.1"],
      "aexample.com": ["127.0.0.1"],
    });
    expect(await ask(`a.example.com:${port}`)).toBe("200");
    for (const host of ["example.com", "aexample.com", "*.example.com", ".example.com", "[::ffff:7f00:1]"])
      expect(await ask(`${host}:${port}`), host).toBe("403");
  });
});
