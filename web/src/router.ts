import { useSyncExternalStore } from "react";

/* The page that is shown follows the address: /, /new, /runs, /figures, /runs/PROJECT/RUN/VIEW?task=TASK. */

const changed = new EventTarget();

function subscribe(listener: () => void): () => void {
  changed.addEventListener("change", listener);
  window.addEventListener("popstate", listener);
  return () => {
    changed.removeEventListener("change", listener);
    window.removeEventListener("popstate", listener);
  };
}

export interface Address {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function useAddress(): Address {
  const href = useSyncExternalStore(subscribe, () => window.location.pathname + window.location.search);
  const url = new URL(href, window.location.origin);
  return { parts: url.pathname.split("/").filter(Boolean).map(decodePart), query: url.searchParams };
}

/** Contract: total. An address that nobody could have made is shown as it is. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function go(path: string, { replace = false } = {}): void {
  if (replace) window.history.replaceState(null, "", path);
  else window.history.pushState(null, "", path);
  changed.dispatchEvent(new Event("change"));
}

export function runAddress(project: string, run: string, view = "", task?: string): string {
  const path = `/runs/${encodeURIComponent(project)}/${encodeURIComponent(run)}${view === "" ? "" : `/${view}`}`;
  return task === undefined ? path : `${path}?task=${encodeURIComponent(task)}`;
}
