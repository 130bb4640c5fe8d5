import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Case, said } from "./case.js";
import { openProject, type Project } from "./project.js";

/** Each case on a project of its kind. What is expected of it is written down beside it. */
export function judgeCases(title: string, project: Project, cases: Readonly<Record<string, readonly Case[]>>): void {
  describe(title, () => {
    let opened: Awaited<ReturnType<typeof openProject>>;
    beforeAll(async () => {
      opened = await openProject(project);
    });
    afterAll(() => opened.close());
    for (const [kind, each] of Object.entries(cases))
      it.each(each.map((one) => [one.name, one] as const))(
        `${kind}: %s`,
        async (_, { expected, says, ...attempted }) => {
          const judged = await opened.judge(attempted);
          expect({ verdict: judged.verdict, said: said(judged) }).toMatchObject({
            verdict: expected,
            said: expect.stringMatching(says ?? /(?:)/) as unknown,
          });
        },
      );
  });
}
