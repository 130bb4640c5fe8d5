import { isIP } from "node:net";

/* Which addresses stay on this machine, and under which names a server is reached. */

/** Contract: pure. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (bare === "localhost" || bare === "::1") return true;
  return isIP(bare) === 4 && bare.startsWith("127.");
}

/** `host:port` as a `Host` header has it. Contract: pure; lower case, an IPv6 address in brackets. */
export function authorityOf(host: string, port: number, scheme: "http" | "https"): string {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  const name = isIP(bare) === 6 ? `[${bare}]` : bare;
  return port === (scheme === "http" ? 80 : 443) ? name : `${name}:${port}`;
}
