import { expect, it } from "vitest";
import type { Cgit } from "./cgit.js";
import { readTree } from "./records.js";

/** A git that lists one file, and says how often it was asked. */
function listing(): { git: Cgit; asked: string[] } {
  const asked: string[] = [];
  const git: Cgit = {
    call: ({ args, onOutput }) => {
      asked.push(args.at(-1) ?? "");
      const isRead = onOutput?.(Buffer.from(`100644 blob ${"b".repeat(40)}\ta.txt\0`)) ?? true;
      const end = isRead ? { code: 0, stopped: null } : { code: null, stopped: "reader" as const };
      return Promise.resolve({ ...end, stdout: Buffer.alloc(0), stderr: "" });
    },
    must: () => Promise.reject(new Error("not asked for")),
  };
  return { git, asked };
}

const id = (digit: string) => digit.repeat(40);

it("asks for the tree of an id once, and nobody changes what others are given", async () => {
  const { git, asked } = listing();
  const first = await readTree(git, "/one.git", id("1"));
  first.clear();
  expect([...(await readTree(git, "/one.git", id("1"))).keys()]).toEqual(["a.txt"]);
  expect(asked).toEqual([id("1")]);
  await readTree(git, "/another.git", id("1"));
  expect(asked).toHaveLength(2);
});

it("asks again for what a name means, and for what it was asked long ago", async () => {
  const { git, asked } = listing();
  for (const tree of ["HEAD", "HEAD", `${id("2")}^2`, `${id("2")}^2`]) await readTree(git, "/names.git", tree);
  expect(asked).toHaveLength(4);
  for (const digit of "0123456789") await readTree(git, "/many.git", id(digit));
  await readTree(git, "/many.git", id("9"));
  expect(asked).toHaveLength(14);
  await readTree(git, "/many.git", id("0"));
  expect(asked).toHaveLength(15);
});

it("keeps the cap of whoever asks", async () => {
  const { git } = listing();
  await readTree(git, "/capped.git", id("3"));
  await expect(readTree(git, "/capped.git", id("3"), 0)).rejects.toMatchObject({ code: "WORKSPACE_FAILED" });
});
