import { existsSync, statSync } from "node:fs";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readFile } from "../foundation/files/read-files.js";
import { takesGzip } from "./respond.js";

/* The files of the dashboard, as the build made them. They hold nothing of any project, so nobody has to log in for them. */

export const WEB_FOLDER = fileURLToPath(new URL("../web/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".map": "application/json; charset=utf-8",
};

const MISSING =
  "The dashboard is not built in this installation. Everything it shows is in the API under /api/v1 (see /api/v1/openapi.json).\n";

/** Contract: a path of the app that is not a file gets its one page; null for a file that is not there. */
export async function staticFile(request: Request, path: string, folder: string): Promise<Response | null> {
  if (!existsSync(join(folder, "index.html")))
    return new Response(MISSING, { status: 404, headers: { "content-type": "text/plain; charset=utf-8" } });
  const wanted = fileAt(folder, path);
  const isPage = wanted === null && extname(path) === "";
  const file = wanted ?? (isPage ? join(folder, "index.html") : null);
  if (file === null) return null;
  const packed = `${file}.gz`;
  const usesGzip = takesGzip(request) && existsSync(packed);
  const isHashed = path.startsWith("/assets/") && !isPage;
  return new Response(new Uint8Array(await readFile(usesGzip ? packed : file)), {
    headers: {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "Accept-Encoding",
      ...(usesGzip ? { "content-encoding": "gzip" } : {}),
    },
  });
}

/** INVARIANT: nothing outside of the folder is ever served. */
function fileAt(folder: string, path: string): string | null {
  if (path === "/" || path.includes("\0") || path.includes("\\")) return null;
  const file = normalize(join(folder, path));
  if (!file.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)) return null;
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : null;
}
