import { createContext, useContext } from "react";
import type { Session } from "./types.ts";

export const SessionContext = createContext<Session>({ role: "reader", name: null });

/** Whether the person may decide; a reader only sees. */
export const useMayDecide = () => useContext(SessionContext).role !== "reader";
