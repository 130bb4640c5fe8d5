import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/* Addresses that lead to this machine or its neighbours, and not out to the internet. */

const V4 = ["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"].concat(
  ["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
);
// Besides its own private ranges, those that carry an IPv4 address in them: mapped, translated, 6to4, Teredo.
const V6 = [
  "::/96",
  "::ffff:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
].concat(["2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"]);

// Apart from each other: a list of both takes every IPv4 address for a mapped one.
const [inner4, inner6] = [listOf(V4, "ipv4"), listOf(V6, "ipv6")];

function listOf(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = "", length = ""] = range.split("/");
    list.addSubnet(net, Number(length), family);
  }
  return list;
}

/** The network cards of a machine, as the system reports them. */
export type Interfaces = ReturnType<typeof networkInterfaces>;

/** A network no larger than this is taken for the neighbours of the machine; a larger one is a provider's. */
const NEIGHBOURS = { IPv4: 24, IPv6: 64 } as const;

/**
 * Whether an address that the whole internet may know is one of this machine's own, or in the same small network: services
 * that listen on all addresses answer there too, and a firewall towards the internet does not hold them from here.
 */
export function isOwnNetwork(address: string, interfaces: Interfaces = networkInterfaces()): boolean {
  const version = isIP(address.replace(/%.*$/, ""));
  if (version === 0) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  for (const { address: own, family: of, cidr } of Object.values(interfaces).flatMap((each) => each ?? [])) {
    if (of.toLowerCase() !== family) continue;
    const length = Number(cidr?.split("/")[1] ?? Number.NaN);
    if (length >= NEIGHBOURS[of]) list.addSubnet(own, length, family);
    else list.addAddress(own, family);
  }
  return list.check(address.replace(/%.*$/, ""), family);
}

/** Contract: true for whatever is not an address at all. */
export function isInnerAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 4) return inner4.check(plain, "ipv4");
  return version === 0 || inner6.check(plain, "ipv6");
}
