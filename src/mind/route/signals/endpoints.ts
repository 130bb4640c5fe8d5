import { type Detector, Finds } from "./evidence.js";
import { isIdentifierChar } from "./identifiers.js";

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

/** `POST /orders`, `/api/v1/users/{id}`: a method with a route, or a rooted route of two parts or marked as code. */
export const endpoints: Detector = (doc) => {
  const finds = new Finds();
  let before = "";
  for (const token of doc.tokens) {
    if (token.text.startsWith("/") && isRoute(token.text)) {
      const parts = token.text.split("/").length - 1;
      if (METHODS.has(before) || token.code || (parts >= 2 && isApiLike(token.text)))
        finds.add(token.start, token.end, token.text);
    }
    before = token.text;
  }
  for (const part of doc.segments) {
    const route = part.kind === "url" ? routeOf(part.text) : null;
    if (route !== null) finds.add(part.start, part.end, route);
  }
  return finds.all();
};

/** The route of a service that runs here (`http://localhost:8080/orders/1`) or calls itself an API (`…/api/v1/orders`). */
function routeOf(url: string): string | null {
  const host = url.indexOf("//") + 2;
  const slash = url.indexOf("/", host);
  if (host === 1 || slash === -1 || slash + 1 >= url.length) return null;
  const here = url.startsWith("localhost", host) || url.startsWith("127.0.0.1", host);
  const route = url.slice(slash);
  return here || route.startsWith("/api/") || route.startsWith("/rest/") ? route : null;
}

function isRoute(text: string): boolean {
  if (text.length < 3 || text.startsWith("//")) return false;
  for (let i = 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!isIdentifierChar(c) && !"/-{}:.?=&*<>".includes(text.charAt(i))) return false;
  }
  return isIdentifierChar(text.charCodeAt(1));
}

function isApiLike(text: string): boolean {
  return (
    text.startsWith("/api/") ||
    text.startsWith("/v1/") ||
    text.startsWith("/v2/") ||
    text.includes("{") ||
    text.includes("/:")
  );
}
