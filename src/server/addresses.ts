import { isIP } from "node:net";

/* Which addresses stay on this machine, and under which names a server is reached. */

/** Contract: pure. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (bare === "localhost" || bare === "::1") return true;
  return isIP(bare) === 4 && bare.startsWith("127.");
}

/** Contract: pure. An address that stands for all addresses of a machine names none of them. */
export function isUnspecified(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "[::]";
}

/** `host:port` as a `Host` header has it. Contract: pure; lower case, an IPv6 address in brackets. */
export function authorityOf(host: string, port: number, scheme: "http" | "https"): string {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  const name = isIP(bare) === 6 ? `[${bare}]` : bare;
  return port === (scheme === "http" ? 80 : 443) ? name : `${name}:${port}`;
}
