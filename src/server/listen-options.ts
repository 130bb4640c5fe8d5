import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { readFile } from "../foundation/files/read-files.js";
import { CoordinatorError } from "../model/errors.js";
import { isLoopback, isUnspecified } from "./addresses.js";

/* Where a server may listen: on this machine, over TLS, or behind a proxy that is named. */

/** As it is said at the command line. */
export interface ListenArguments {
  readonly host: string;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly publicUrl: string | undefined;
  readonly trustedProxy: string | undefined;
}

export interface ListenOptions {
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly publicUrl: string | null;
  readonly proxy: string | null;
}

/** Contract: throws CERTIFICATE_UNREADABLE, ADDRESS_REFUSED or USAGE before anything listens. */
export async function readListenOptions(args: ListenArguments): Promise<ListenOptions> {
  const { host, cert, key, trustedProxy } = args;
  const publicUrl = args.publicUrl === undefined ? null : originOf(args.publicUrl);
  if (trustedProxy !== undefined && isIP(trustedProxy) === 0)
    throw usage(`${trustedProxy} is not the address of a proxy`, "Name its IP address: --trusted-proxy 10.0.0.5");
  if ((cert === undefined) !== (key === undefined))
    throw usage("A certificate and its key go together", "Add --cert FILE and --key FILE.");
  const tls = cert === undefined || key === undefined ? null : await readCertificate(cert, key);
  const proxy = trustedProxy ?? null;
  if (proxy !== null && publicUrl === null)
    throw usage("Behind a proxy, browsers see another address", "Say which: --public-url https://HOST");
  if (!isLoopback(host) && tls === null && proxy === null)
    throw refuseOption(
      `${host} can be reached from other machines, and without TLS everybody on the way reads tokens and answers`,
      "Give a certificate with --cert and --key, or name the proxy that has one with --trusted-proxy and --public-url. " +
        "Without --host it is reached from this machine only.",
    );
  if (proxy !== null && publicUrl?.startsWith("https:") !== true)
    throw refuseOption(`${publicUrl ?? ""} is not secure`, "The proxy has to offer https: --public-url https://HOST");
  if (isUnspecified(host) && publicUrl === null)
    throw usage(`${host} names no address that a browser could use`, "Say which it is: --public-url https://HOST:PORT");
  if (tls !== null && publicUrl !== null && !publicUrl.startsWith("https:"))
    throw usage(`${publicUrl} is not what this server offers`, "With a certificate it is https.");
  return { tls, publicUrl, proxy };
}

async function readCertificate(cert: string, key: string): Promise<{ cert: Buffer; key: Buffer }> {
  const read = async (file: string) => {
    try {
      return await readFile(file);
    } catch (cause) {
      throw unreadableCertificate(`${file} cannot be read: ${(cause as Error).message}`, cause);
    }
  };
  const found = { cert: await read(cert), key: await read(key) };
  try {
    createSecureContext(found);
  } catch (cause) {
    throw unreadableCertificate(
      `${cert} and ${key} are not a certificate and its key: ${(cause as Error).message}`,
      cause,
    );
  }
  return found;
}

/** Contract: throws USAGE for what is not an address of a site. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    (url.protocol !== "http:" && url.protocol !== "https:") ||
    url.pathname !== "/" ||
    url.username !== ""
  )
    throw usage(`${text} is not an address like https://host:port`, "Leave out paths and names of users.");
  return url.origin;
}

function usage(message: string, fix: string): CoordinatorError {
  return new CoordinatorError("USAGE", message, { fix });
}

function refuseOption(message: string, fix: string): CoordinatorError {
  return new CoordinatorError("ADDRESS_REFUSED", message, { fix });
}

function unreadableCertificate(message: string, cause: unknown): CoordinatorError {
  return new CoordinatorError("CERTIFICATE_UNREADABLE", message, {
    cause,
    fix: "Both are files in PEM form: the certificate with its chain, and the key without a password.",
  });
}
