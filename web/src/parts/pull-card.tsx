import type { ReactNode } from "react";
import type { Inbox } from "../types.ts";

/** Remarks and red checks on a pull request, as somebody last saw them. They are answered on the host. */
export function PullCard({ pull }: { readonly pull: Inbox["on_host"][number] }) {
  const { run_id, address, remarks, checks } = pull;
  return (
    <article className="card" aria-label={`Pull request ${pull.pull}`}>
      <p>
        <strong>
          Pull request <Outside to={address}>#{pull.pull}</Outside>
        </strong>{" "}
        of {run_id}
      </p>
      <ul>
        {remarks.map(({ thread, by, path, line, text, address: place }) => (
          <li key={thread}>
            {by} at{" "}
            <Outside to={place}>
              {path}
              {line === null ? "" : `:${line}`}
            </Outside>
            : {text}
          </li>
        ))}
        {checks.map(({ name, conclusion, address: place }) => (
          <li key={name}>
            <Outside to={place}>{name}</Outside>: {conclusion}
          </li>
        ))}
      </ul>
    </article>
  );
}

/** A link out of the dashboard. Contract: an address that is none of the web stays text. */
function Outside({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  if (!/^https?:\/\//.test(to)) return <>{children}</>;
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
