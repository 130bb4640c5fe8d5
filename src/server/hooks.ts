import { createLooks, takeHint } from "../app/hosts/hints.js";
import { forOperation, placeOf, type ServerContext } from "./context.js";
import { HttpProblem, makeProblem } from "./problem.js";

/** Messages of hosts of code: `POST /hooks/PROJECT`. Who sends one is known by its signature alone. */
export function createHooks(server: ServerContext) {
  const look = createLooks((message) => server.log.warn("hook", { message }));
  return async (id: string, request: Request): Promise<{ readonly status: "taken" | "known" }> => {
    const { project } = placeOf(forOperation(server), id);
    const bytes = Buffer.from(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    const taken = await takeHint({ headers, bytes }, project.context, () => look(id, project.context));
    if (taken === "taken" || taken === "known") return { status: taken };
    throw new HttpProblem(
      taken === "closed"
        ? makeProblem(404, "NOT_FOUND", "This project takes no messages of a host", {
            fix: "Name a variable with a secret of 16 characters or more in your settings: code_host.webhook_secret_env.",
          })
        : makeProblem(401, "NOT_LOGGED_IN", "The message has no signature with the secret of this project", {
            fix: "Give the host the secret that stands in the variable that code_host.webhook_secret_env names.",
          }),
    );
  };
}
