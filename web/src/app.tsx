import { lazy, Suspense, useEffect, useState } from "react";
import { logOut, post, Problem, read } from "./api.ts";
import { closeStream, openStream, useConnection } from "./live.ts";
import { Boundary } from "./parts/boundary.tsx";
import { Link } from "./parts/link.tsx";
import { FiguresPage } from "./pages/figures.tsx";
import { InboxPage } from "./pages/inbox.tsx";
import { LoginPage } from "./pages/login.tsx";
import { NewRequestPage } from "./pages/new-request.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { useAddress } from "./router.ts";
import { SessionContext } from "./session.ts";
import type { Inbox, Session } from "./types.ts";
import { always, useResource } from "./use-resource.ts";

const RunPage = lazy(() => import("./run/run-page.tsx"));

/** The whole dashboard: who is logged in, where one is, and the page that belongs there. */
export function App() {
  const [session, setSession] = useState<Session | null | "unknown">("unknown");
  const [problem, setProblem] = useState<Problem | null>(null);

  useEffect(() => {
    logInFromAddress()
      .then(setSession)
      .catch((error: unknown) => {
        const isLoggedOut = error instanceof Problem && error.status === 401;
        if (!isLoggedOut && error instanceof Problem) setProblem(error);
        setSession(null);
      });
  }, []);

  useEffect(() => {
    if (session === null || session === "unknown") return undefined;
    openStream();
    return closeStream;
  }, [session]);

  if (session === "unknown")
    return (
      <p className="quiet page" role="status">
        Loading …
      </p>
    );
  if (session === null) return <LoginPage problem={problem} loggedIn={setSession} />;
  return (
    <SessionContext value={session}>
      <Shell session={session} loggedOut={() => setSession(null)} />
    </SessionContext>
  );
}

/** A link from the terminal carries a code that logs in once. It never stays in the address. */
async function logInFromAddress(): Promise<Session> {
  const code = new URLSearchParams(window.location.hash.slice(1)).get("login");
  if (code !== null) {
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    await post("/session", { secret: code });
  }
  return read<Session>("/session");
}

function Shell({ session, loggedOut }: { readonly session: Session; readonly loggedOut: () => void }) {
  const { parts } = useAddress();
  const inbox = useResource<Inbox>("/inbox", always);
  const connection = useConnection();
  const open = inbox.value?.open ?? 0;
  const [page = ""] = parts;

  useEffect(() => {
    document.title = open === 0 ? "Coordinator" : `(${open}) Coordinator`;
  }, [open]);
  useNotice(open);

  return (
    <>
      <a className="skip" href="#content">
        To the content
      </a>
      <header className="top">
        <Link to="/" className="brand">
          Coordinator
        </Link>
        <nav aria-label="Pages">
          <Link to="/" current={page === ""}>
            Inbox{open > 0 ? ` (${open})` : ""}
          </Link>
          <Link to="/runs" current={page === "runs"}>
            Runs
          </Link>
          <Link to="/figures" current={page === "figures"}>
            Figures
          </Link>
          {session.role !== "reader" && (
            <Link to="/new" current={page === "new"}>
              New request
            </Link>
          )}
        </nav>
        <span className={`connection ${connection}`} role="status">
          {connection === "live" ? "● live" : connection === "offline" ? "○ not connected" : "… connecting"}
        </span>
        <span className="who">
          {session.name ?? "you"} ({session.role}){" "}
          <button type="button" className="plain" onClick={() => void logOut().finally(loggedOut)}>
            Log out
          </button>
        </span>
      </header>
      <main id="content" tabIndex={-1}>
        <Boundary key={parts.join("/")}>
          <Suspense fallback={<p className="quiet">Loading …</p>}>
            <Page parts={parts} inbox={inbox} />
          </Suspense>
        </Boundary>
      </main>
    </>
  );
}

function Page({
  parts,
  inbox,
}: {
  readonly parts: readonly string[];
  readonly inbox: ReturnType<typeof useResource<Inbox>>;
}) {
  const [page = "", project, run, view = "tasks"] = parts;
  if (page === "") return <InboxPage inbox={inbox} />;
  if (page === "new") return <NewRequestPage />;
  if (page === "figures") return <FiguresPage />;
  if (page === "runs" && project !== undefined && run !== undefined)
    return <RunPage key={`${project}/${run}`} project={project} run={run} view={view} inbox={inbox.value} />;
  if (page === "runs") return <RunsPage />;
  return (
    <p className="empty">
      There is no such page. <Link to="/">To the inbox</Link>
    </p>
  );
}

/** A desktop notice when more waits than before, where the person allowed notices. */
function useNotice(open: number): void {
  const [before, setBefore] = useState(open);
  useEffect(() => {
    setBefore(open);
    if (open <= before || !document.hidden || !("Notification" in window) || Notification.permission !== "granted")
      return undefined;
    const notice = new Notification("Coordinator needs you", { body: `${open} waiting`, tag: "coordinator-inbox" });
    notice.addEventListener("click", () => window.focus());
    return undefined;
  }, [open, before]);
}
