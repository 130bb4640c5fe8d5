/* Foreign text in Markdown of ours: it must not end a cell, open a comment, or pass for a marker. */

export function plain(text: string, most = 200): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const cut = line.length > most ? `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
  return cut.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/** A table with its rows; without any it says so. Contract: cells are plain already. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const none = columns.map((_, i) => (i === 0 ? "None" : ""));
  return [line(columns), line(columns.map(() => "---")), ...(rows.length === 0 ? [none] : rows).map(line)];
}
