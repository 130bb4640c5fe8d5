import type { ReactNode } from "react";
import type { Problem } from "../api.ts";
import type { Resource } from "../use-resource.ts";

/** Shows a resource once it is there; says that it loads, what went wrong, or that what is shown may be out of date. */
export function Shown<T>({
  of: { value, problem, loading, reload },
  children,
}: {
  readonly of: Resource<T>;
  readonly children: (value: T) => ReactNode;
}) {
  if (value === null) {
    if (problem !== null) return <Trouble problem={problem} retry={reload} />;
    return loading ? (
      <p className="quiet" role="status">
        Loading …
      </p>
    ) : null;
  }
  return (
    <>
      {problem !== null && <Trouble problem={problem} retry={reload} stale />}
      {children(value)}
    </>
  );
}

export function Trouble({
  problem,
  retry,
  stale = false,
}: {
  readonly problem: Problem;
  readonly retry?: () => void;
  readonly stale?: boolean;
}) {
  return (
    <div className="trouble" role="alert">
      <p>
        <strong>{stale ? "This may be out of date." : "This could not be shown."}</strong> {problem.message}
      </p>
      {problem.fix !== null && <p>{problem.fix}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export const Empty = ({ children }: { readonly children: ReactNode }) => <p className="empty">{children}</p>;
