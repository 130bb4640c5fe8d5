import { type Detector, Finds } from "./evidence.js";
import { pathOf } from "./file-paths.js";
import {
  humps,
  isCamelCase,
  isDigit,
  isIdentifier,
  isIdentifierChar,
  isLower,
  isSnakeCase,
  isUpper,
} from "./identifiers.js";

/**
 * Names of code: calls, qualified names, snake_case and camelCase, and whatever single name the author marks as code.
 *
 * In prose a word with one hump is not a symbol, since products are written like that, unless it ends as classes do.
 */
export const symbols: Detector = (doc) => {
  const finds = new Finds();
  for (const token of doc.tokens) {
    if (token.plain) continue;
    const name = symbolOf(token.text, token.code);
    if (name !== null) finds.add(token.start, token.end, name);
  }
  return finds.all();
};

/** The bare name, so that `name` and `name()` count once, or null. */
function symbolOf(token: string, code: boolean): string | null {
  if (token.length < 2 || pathOf(token, code) !== null) return null;
  // In prose `@name` is a person.
  if (!code && token.startsWith("@")) return null;
  const open = token.indexOf("(");
  const head = trimSigil(open === -1 ? token : token.slice(0, open));
  if (open > 0 && isCall(token, head, open, code)) return head;
  if (open !== -1) return null;
  if (isScoped(head)) return head;
  if (isQualified(head, code)) return head;
  if (isSnakeCase(head) || isCamelCase(head)) return head;
  if (isIdentifier(head) && (humps(head) >= 3 || isClassName(head))) return head;
  if (head.startsWith("aria-")) return head;
  if (code && isIdentifier(head) && head.length > 1 && !isLabel(head)) return head;
  return code && isTag(head) ? head : null;
}

const CLASS_ENDINGS = new Set(
  "Activity Adapter Args Builder Button Client Clusters Command Component Config Context Controller Decoder Dialog Encoder Event Executor Factory Fragment Handler Helper Impl Iterator Layout List Listener Loader Manager Mapper Menu Model Module Node Options Parser Props Provider Proxy Queue Reader Reducer Renderer Repository Request Resolver Response Selector Serializer Service Session Set Spec State Storage Stream Test Thread Tree Type Utils Validator View Visitor Widget Worker Wrapper Writer".split(
    " ",
  ),
);

/** `FilterMenu`, `InvoiceMapper`. */
function isClassName(text: string): boolean {
  if (!isUpper(text.charCodeAt(0)) || humps(text) === 0) return false;
  let at = text.length - 1;
  while (at > 0 && !isUpper(text.charCodeAt(at))) at--;
  return CLASS_ENDINGS.has(text.slice(at));
}

/** `Settings` marked as code is as likely a label on the screen as a name in the code. */
function isLabel(text: string): boolean {
  if (!isUpper(text.charCodeAt(0))) return false;
  for (let i = 1; i < text.length; i++) if (!isLower(text.charCodeAt(i))) return false;
  return true;
}

function trimSigil(text: string): string {
  const c = text.charAt(0);
  return c === "@" || c === "#" || c === "." || c === ":" ? text.slice(1) : text;
}

function isCall(token: string, head: string, open: number, code: boolean): boolean {
  const inside = token.slice(open + 1, token.endsWith(")") ? -1 : undefined);
  if (inside === "s" || inside === "es") return false;
  if (!isNameLike(head)) return false;
  if (code || inside === "") return head.length > 1;
  return (
    isSnakeCase(head) || isCamelCase(head) || head.includes(".") || head.includes("::") || hasArgumentMarks(inside)
  );
}

function hasArgumentMarks(inside: string): boolean {
  return inside.includes("=") || inside.includes("'") || inside.includes('"') || inside.includes("(");
}

/** An identifier, or several joined by `.`, `::`, `->` or `#`. */
function isNameLike(text: string): boolean {
  if (text === "" || isDigit(text.charCodeAt(0))) return false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const joint = c === 0x2e || c === 0x3a || c === 0x23 || c === 0x2d || c === 0x3e || c === 0x5b || c === 0x5d;
    if (!isIdentifierChar(c) && !joint && c !== 0x21 && c !== 0x3f) return false;
  }
  return true;
}

function isScoped(text: string): boolean {
  for (const joint of ["::", "->", "#"]) {
    const at = text.indexOf(joint);
    if (
      at > 1 &&
      isNameLike(text) &&
      isIdentifierChar(text.charCodeAt(at + joint.length)) &&
      !isDigit(text.charCodeAt(at + joint.length))
    )
      return true;
  }
  return false;
}

const DOMAINS = new Set("com org net io dev app co uk de fr eu gov edu info me ai js us ch nl".split(" "));

/** `a.b`: in prose it must look like more than two sentences without a space between them. */
function isQualified(text: string, code: boolean): boolean {
  const parts = text.split(".");
  if (parts.length < 2 || parts.length > 8) return false;
  let long = 0;
  for (const part of parts) {
    if (!isIdentifier(part)) return false;
    if (part.length > 1) long++;
  }
  const last = parts.at(-1) ?? "";
  if (DOMAINS.has(last.toLowerCase()) || long < 2) return false;
  if (code) return true;
  if (parts.some((part) => isSnakeCase(part) || isCamelCase(part))) return true;
  if (parts.length >= 3) return true;
  // `Class.method`, but not "end.Start" and not "End.Start".
  return isUpper(text.charCodeAt(0)) && isLower(last.charCodeAt(0)) && humps(parts[0] ?? "") > 0;
}

/** `<button>` marked as code. */
function isTag(text: string): boolean {
  return text.startsWith("<") && isLower(text.charCodeAt(1));
}
