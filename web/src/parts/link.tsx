import type { ReactNode } from "react";
import { go } from "../router.ts";

/** A link within the dashboard. With a modifier key it opens as the browser likes. */
export function Link({
  to,
  children,
  className,
  current = false,
}: {
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly current?: boolean;
}) {
  return (
    <a
      href={to}
      className={className}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
