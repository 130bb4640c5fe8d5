import type { ReactNode } from "react";

/** Lets wide content scroll in itself, by keyboard, too. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
