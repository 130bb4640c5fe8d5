import { isIP } from "node:net";
import { isInnerAddress } from "./addresses.js";

/* How hosts are written in settings and asked for by programs: `api.example.com`, `*.example.com:8443`, `[::1]:80`. */

interface Target {
  readonly host: string;
  readonly port: number;
}

/** The host and port of a rule; 443 where it names none. Null for what is neither a name nor an address. */
export function readHostRule(rule: string): Target | null {
  return targetOf(rule) ?? targetOf(isIP(rule) === 6 ? `[${rule}]:443` : `${rule}:443`);
}

/** Names that lead to this machine or its neighbours by what they are. */
const INNER_NAME = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/;

/**
 * Whether a rule names this machine or its neighbours: by an address in any spelling, or by a name that is only known here.
 *
 * Contract: true for what cannot be read. A name that leads there only by DNS is found when it is connected to.
 */
export function isInnerHost(rule: string): boolean {
  const target = readHostRule(rule);
  if (target === null) return true;
  const { host } = target;
  if (isIP(host) !== 0) return isInnerAddress(host);
  return !host.includes(".") || INNER_NAME.test(host);
}

/** Contract: null for anything but a plain name or address and a port. Names are in lower case, without a last dot. */
export function targetOf(text: string): Target | null {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9*._-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = (bracketed ?? plain ?? "").toLowerCase().replace(/\.$/, "");
  const port = Number(digits);
  if (host === "" || port < 1 || port > 65_535 || (bracketed !== undefined && isIP(bracketed) !== 6)) return null;
  // 0x7f.1, 2130706433, 127.1: other spellings of an address, which a resolver would take for one.
  if (isIP(host) === 0 && /^(?:0x[0-9a-f]*|\d+)$/.test(host.split(".").at(-1) ?? "")) return null;
  return { host, port };
}
