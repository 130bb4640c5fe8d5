import { lazy, Suspense, useEffect, useState } from "react";
import { asProblem, logOut, post, Problem, read, whenLoggedOut } from "./api.ts";
import { closeStream, openStream, useConnection } from "./live.ts";
import { useNotices } from "./notices.ts";
import { Boundary } from "./parts/boundary.tsx";
import { Link } from "./parts/link.tsx";
import { Loading } from "./parts/states.tsx";
import { InboxPage } from "./pages/inbox.tsx";
import { LoginPage } from "./pages/login.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { useAddress } from "./router.ts";
import { SessionContext } from "./session.ts";
import type { Inbox, Session } from "./types.ts";
import { always, type Resource, useResource } from "./use-resource.ts";

const RunPage = lazy(() => import("./run/run-page.tsx"));
const FiguresPage = lazy(() => import("./pages/figures.tsx"));
const NewRequestPage = lazy(() => import("./pages/new-request.tsx"));

/** The whole dashboard: who is logged in, where one is, and the page that belongs there. */
export function App() {
  const [session, setSession] = useState<Session | null | "unknown">("unknown");
  const [problem, setProblem] = useState<Problem | null>(null);

  useEffect(() => {
    whenLoggedOut((why) => {
      setProblem(new Problem(401, why.code, "You were logged out: the session has ended or was revoked.", why.fix));
      setSession(null);
    });
    const logIn = () =>
      logInFromAddress()
        .then(setSession)
        .catch((error: unknown) => {
          const isLoggedOut = error instanceof Problem && error.status === 401 && !error.message.includes("link");
          if (!isLoggedOut && error instanceof Problem) setProblem(error);
          setSession(null);
        });
    // A link that is pasted into the address of a page that is open already does not load it again.
    const hear = () => {
      if (codeInAddress() !== null) void logIn();
    };
    void logIn();
    window.addEventListener("hashchange", hear);
    return () => window.removeEventListener("hashchange", hear);
  }, []);

  useEffect(() => {
    if (session === null || session === "unknown") return undefined;
    openStream();
    return closeStream;
  }, [session]);

  if (session === "unknown")
    return (
      <main className="page">
        <Loading />
      </main>
    );
  if (session === null) return <LoginPage problem={problem} loggedIn={setSession} />;
  return (
    <SessionContext value={session}>
      <Shell
        session={session}
        loggedOut={() => {
          setProblem(null);
          setSession(null);
        }}
      />
    </SessionContext>
  );
}

const codeInAddress = () => new URLSearchParams(window.location.hash.slice(1)).get("login");

/** A link from the terminal carries a code that logs in once. It never stays in the address. */
async function logInFromAddress(): Promise<Session> {
  const code = codeInAddress();
  if (code !== null) {
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    const session = await post<Session>("/session", { secret: code }).catch((error: unknown) => asProblem(error));
    if (!(session instanceof Problem)) return session;
    // Somebody who opens a link a second time is logged in with the session that the first time made.
    return read<Session>("/session").catch(() => Promise.reject(session));
  }
  return read<Session>("/session");
}

function Shell({ session, loggedOut }: { readonly session: Session; readonly loggedOut: () => void }) {
  const { parts } = useAddress();
  const inbox = useResource<Inbox>("/inbox", always);
  const open = inbox.value?.open ?? 0;

  useEffect(() => {
    document.title = open === 0 ? "Coordinator" : `(${open}) Coordinator`;
  }, [open]);
  useNotices(inbox.value?.entries ?? null);

  return (
    <>
      <a className="skip" href="#content">
        To the content
      </a>
      <Top session={session} open={open} page={parts[0] ?? ""} loggedOut={loggedOut} />
      <main id="content" tabIndex={-1}>
        <Offline />
        <Boundary key={parts.join("/")}>
          <Suspense fallback={<Loading />}>
            <Page parts={parts} inbox={inbox} />
          </Suspense>
        </Boundary>
      </main>
    </>
  );
}

interface TopProps {
  readonly session: Session;
  readonly open: number;
  readonly page: string;
  readonly loggedOut: () => void;
}

const CONNECTIONS = { live: "● live", offline: "○ not connected", connecting: "… connecting" } as const;

function Top({ session, open, page, loggedOut }: TopProps) {
  const connection = useConnection();
  return (
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
        {CONNECTIONS[connection]}
      </span>
      <span className="who">
        {session.name ?? "you"} ({session.role}){" "}
        <button type="button" className="plain" onClick={() => void logOut().finally(loggedOut)}>
          Log out
        </button>
      </span>
    </header>
  );
}

/** Said on every page while the server cannot be reached: what is shown is as it was last read. */
function Offline() {
  if (useConnection() !== "offline") return null;
  return (
    <p className="trouble" role="alert">
      <strong>Not connected to the server.</strong> What you see may be out of date and decisions cannot be sent. Is{" "}
      <code>coordinator serve</code> still running? The page connects again by itself.
    </p>
  );
}

function Page({ parts, inbox }: { readonly parts: readonly string[]; readonly inbox: Resource<Inbox> }) {
  const [page = "", project, run, view = "tasks"] = parts;
  if (page === "") return <InboxPage inbox={inbox} />;
  if (page === "new") return <NewRequestPage inbox={inbox} />;
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
