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
  return finds.all();
};

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
