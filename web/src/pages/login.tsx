import { type FormEvent, useCallback, useState } from "react";
import { post, type Problem, read } from "../api.ts";
import { Trouble } from "../parts/states.tsx";
import type { Session } from "../types.ts";
import { useAction } from "../use-action.ts";

export function LoginPage({
  problem: first,
  loggedIn,
}: {
  readonly problem: Problem | null;
  readonly loggedIn: (session: Session) => void;
}) {
  const [secret, setSecret] = useState("");
  const { start, pending, problem } = useAction(
    useCallback(
      async (token: string) => {
        await post("/session", { secret: token });
        loggedIn(await read<Session>("/session"));
      },
      [loggedIn],
    ),
  );
  const shown = problem ?? first;
  const logIn = (event: FormEvent) => {
    event.preventDefault();
    start(secret.trim());
  };

  return (
    <main className="login">
      <h1>Coordinator</h1>
      <p>
        Open the link that <code>coordinator serve</code> printed, make a new one with{" "}
        <code>coordinator token login</code>, or paste a token.
      </p>
      <form className="choices" onSubmit={logIn}>
        <label>
          Token{" "}
          <input
            type="password"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
            required
          />
        </label>
        <button type="submit" className="primary" disabled={pending}>
          Log in
        </button>
      </form>
      {shown !== null && !pending && <Trouble problem={shown} head="Not logged in." />}
    </main>
  );
}
