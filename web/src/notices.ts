import { useCallback, useEffect, useRef, useState } from "react";
import { go } from "./router.ts";
import type { Entry } from "./types.ts";

/* Desktop notices are shown only where a person switched them on here and the browser was allowed to show them. */

const KEY = "coordinator-notices";

export type NoticeState = "off" | "on" | "blocked" | "impossible";

function noticeState(): NoticeState {
  if (!("Notification" in window)) return "impossible";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

/** Whether notices are shown, and the switch for them. */
export function useNoticeSwitch(): { readonly state: NoticeState; readonly toggle: () => void } {
  const [state, setState] = useState(noticeState);
  const toggle = useCallback(() => {
    if (noticeState() === "on") {
      localStorage.removeItem(KEY);
      setState(noticeState());
      return;
    }
    void Notification.requestPermission().then(() => {
      localStorage.setItem(KEY, "on");
      setState(noticeState());
    });
  }, []);
  return { state, toggle };
}

/** A notice for what is new in the inbox while nobody looks at the page. */
export function useNotices(entries: readonly Entry[] | null): void {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (entries === null) return;
    const before = known.current;
    known.current = new Set(entries.map(keyOf));
    const added = before === null ? [] : entries.filter((entry) => !before.has(keyOf(entry)));
    const [first] = added;
    if (first === undefined || !document.hidden || noticeState() !== "on") return;
    const notice = new Notification("Coordinator needs you", {
      body: added.length === 1 ? first.about : `${first.about} … and ${added.length - 1} more`,
      tag: "coordinator-inbox",
    });
    notice.addEventListener("click", () => {
      window.focus();
      go("/");
    });
  }, [entries]);
}

const keyOf = ({ run_id, id }: Entry) => `${run_id}/${id}`;
