/** A patch, line by line: added, removed and unchanged lines keep their signs. */
export function Diff({ patch, truncated = false }: { readonly patch: string; readonly truncated?: boolean }) {
  if (patch.trim() === "") return <p className="empty">Nothing was changed.</p>;
  return (
    <div className="diff" role="region" aria-label="Changes" tabIndex={0}>
      {patch.split("\n").map((line, index) => (
        // Lines of a patch have no names of their own, and their order never changes.
        <div key={index} className={kindOf(line)}>
          {line === "" ? " " : line}
        </div>
      ))}
      {truncated && <div className="hunk">… the rest is too long to be shown; `coordinator diff` has all of it</div>}
    </div>
  );
}

function kindOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return "file";
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return "same";
}
