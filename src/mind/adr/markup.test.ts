import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import { breakDown } from "./break-down.js";
import { asMarkdown } from "./markup.js";
import { parseAdr } from "./parse-adr.js";

const MODEL = await readLearnedModel("adr");

const read = (text: string, file: string) => {
  const adr = parseAdr(text, file);
  return { ...adr, tasks: breakDown(adr, MODEL).tasks.map(({ title }) => title) };
};

describe("asMarkdown", () => {
  it("reads AsciiDoc", () => {
    const text = `= Use one queue
:status: accepted
:toc:

== Context

See link:0003-logins.adoc[ADR-0003].

// a remark
== Considered Options

* One queue

== Decision

----
* Not this
----

- Create the queue
  * with a table
. Move the readers
.. and their tests

== Consequences

* One place to look
`;
    const adr = read(text, "adr/0007-use-one-queue.adoc");
    expect(adr).toMatchObject({ id: "7", title: "Use one queue", status: "accepted", related: ["3"], diagnostics: [] });
    expect(adr.tasks).toEqual(["Create the queue", "Move the readers"]);
    expect(read("= Use one queue\n\n|===\n|Status |Rejected\n|===\n", "adr/7.adoc").status).toBe("rejected");
  });

  it("reads reStructuredText", () => {
    const text = `Use one queue
#############

:Date: 2024-01-01

Status
******

Superseded by \`ADR 9 <0009-two-queues.rst>\`_

Decision
********

First part
~~~~~~~~~~

.. code-block:: python

   1. Not this

#. Create the \`\`queue\`\`
#. Move the readers

.. _a link: https://example.org
`;
    const adr = read(text, "docs/decisions/0007-use-one-queue.rst");
    expect(adr).toMatchObject({ id: "7", title: "Use one queue", status: "superseded", supersededBy: "9" });
    const tasks = read(text.replace(/Superseded.*/, "Accepted"), "docs/decisions/0007-use-one-queue.rst").tasks;
    expect(tasks).toEqual(["Create the `queue`", "Move the readers"]);
  });

  it("reads Org mode", () => {
    const text = `:PROPERTIES:
:STATUS: Accepted
:END:
#+TITLE: ADR-007: Use one queue

* Decision

#+BEGIN_SRC sh
- Not this
#+END_SRC
- Create the queue
- [X] Move the readers
- See [[file:0003-logins.md][ADR-0003]] and remove the old table
`;
    const adr = read(text, "adr/adr-007-use-one-queue.org");
    expect(adr).toMatchObject({ id: "7", title: "Use one queue", status: "accepted" });
    expect(adr.tasks).toHaveLength(2);
  });

  it("keeps every line where it is, whatever it is given", () => {
    const lines = fc.array(
      fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.constantFrom("====", "----", "== a", "**", ".. x::", "#+begin_src", ":a: b", "|a |b", "* x"),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(lines, fc.constantFrom("adoc", "rst", "org", "md"), (parts, ending) => {
        const text = parts.map((part) => part.replaceAll(/[\r\n]/g, " ")).join("\n");
        expect(asMarkdown(text, `a.${ending}`).split("\n")).toHaveLength(text.split("\n").length);
      }),
    );
  });
});
