/** Foreign text on one line: a line of its own could pass for one of ours. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
