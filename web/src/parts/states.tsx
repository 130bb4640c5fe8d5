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
    return loading ? <Loading /> : null;
  }
  return (
    <>
      {problem !== null && <Trouble problem={problem} retry={reload} head="This may be out of date." />}
      {children(value)}
    </>
  );
}

export const Loading = () => (
  <p className="quiet" role="status">
    Loading …
  </p>
);

export const Empty = ({ children }: { readonly children: ReactNode }) => <p className="empty">{children}</p>;

/** Shows an error and how to fix it, announced at once. */
export function Trouble({
  problem,
  retry,
  head = "This could not be shown.",
}: {
  readonly problem: Pick<Problem, "message" | "fix">;
  readonly retry?: () => void;
  readonly head?: string;
}) {
  return (
    <div className="trouble" role="alert">
      <p>
        <strong>{head}</strong> {problem.message}
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

/** Why something that was ordered was not done; nothing while there is no problem. */
export const Refused = ({ problem }: { readonly problem: Problem | null }) =>
  problem === null ? null : <Trouble problem={problem} head="Not done." />;
