import { isMap, isSeq, parseDocument } from "yaml";

/**
 * A person's own settings with what they agreed to; everything else of the text stays as it is, comments too.
 *
 * Contract: pure. The text is a document that was read without problems, or empty.
 */
export function withLogins(text: string, logins: readonly string[]): string {
  const document = parseDocument(text);
  const there = document.get("logins");
  const known: unknown = isSeq(there) ? there.toJSON() : [];
  const added = logins.filter((login) => !(known as unknown[]).includes(login));
  if (added.length === 0) return text;
  if (isSeq(there)) {
    for (const login of added) there.add(login);
    return document.toString();
  }
  if (isMap(document.contents) && document.contents.flow === true) {
    document.set("logins", added);
    return document.toString();
  }
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${before}${WHY}\nlogins: [${added.join(", ")}]\n`;
}

const WHY =
  "# Agents of these presets are shown your login to their maker, read-only. Take one out, and it is not any more.";
