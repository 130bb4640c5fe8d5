import { expect, it } from "vitest";
import { Configuration } from "../../model/settings/configuration.js";
import type { InForce } from "../../mind/contract/permit.js";
import { boardSettings } from "./board.js";

const settings = (board: unknown, file: string | null) =>
  boardSettings(Configuration.parse(board === undefined ? {} : { board }), { file } as InForce);

it("the files for people are out of the working tree unless somebody wants them there", () => {
  expect(Object.values(settings(undefined, "contract.yaml") ?? {})).toEqual([
    ".coordinator/board/work_queue.json",
    ".coordinator/board/PROJECT_HQ.md",
    ".coordinator/board/sessions",
  ]);
  expect(settings(undefined, null)).toBeNull();
  expect(settings(false, "contract.yaml")).toBeNull();
  expect(settings({}, null)).toEqual({ queue: "tasks/work_queue.json", hq: "PROJECT_HQ.md", sessions: "sessions" });
});
