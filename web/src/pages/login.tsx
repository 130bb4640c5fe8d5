import { type FormEvent, useState } from "react";
import { asProblem, post, type Problem, read } from "../api.ts";
import type { Session } from "../types.ts";

export function LoginPage({
  problem: first,
  loggedIn,
}: {
  readonly problem: Problem | null;
  readonly loggedIn: (session: Session) => void;
}) {
  const [secret, setSecret] = useState("");
  const [problem, setProblem] = useState(first);

  async function logIn(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      await post("/session", { secret: secret.trim() });
      loggedIn(await read<Session>("/session"));
    } catch (error) {
      setProblem(asProblem(error));
    }
  }

  return (
    <main className="login">
      <h1>Coordinator</h1>
      <p>
        Open the link that <code>coordinator serve</code> printed, make a new one with{" "}
        <code>coordinator token login</code>, or paste a token.
      </p>
      <form onSubmit={(event) => void logIn(event)}>
        <label>
          Token
          <input
            type="password"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
            required
          />
        </label>
        <button type="submit" className="primary">
          Log in
        </button>
      </form>
      {problem !== null && (
        <div className="trouble" role="alert">
          <p>{problem.message}</p>
          {problem.fix !== null && <p>{problem.fix}</p>}
        </div>
      )}
    </main>
  );
}
