import { z } from "@hono/zod-openapi";
import { DiffJson, MergeJson, VerificationJson } from "../../model/api/details.js";
import { DecisionJson } from "../../model/api/runs.js";
import { useCases } from "../../app/coordinator.js";
import { EXIT } from "../../app/exit-codes.js";
import { text } from "../../model/primitives.js";
import { TaskChange } from "../../model/run.js";
import { nameOf } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { packBody } from "../respond.js";
import { afterDecision } from "./after-decision.js";
import { answerOf, RunParams, TaskParams } from "./shared.js";

/* Results: changes, merging, proof; and what people change about tasks. */

const MOST_PATCH = 4 * 1024 * 1024;

export const RESULTS: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/diff",
    id: "getDiff",
    tag: "results",
    summary: "What a run changed, or one task of it",
    role: "reader",
    params: RunParams,
    query: z.object({ task: z.string().min(1).max(400).optional() }),
    answer: DiffJson.openapi("Diff"),
    handle: async ({ place, params, query }) => {
      const { context } = place.project;
      const args = { run: params.run, task: query.task, stat: false, json: false };
      const finished = await useCases.showDiff(args, context, null);
      const shown = answerOf(finished);
      const patch = finished.report.type === "diff" ? (finished.report.text ?? "") : "";
      return { ...shown, patch: patch.slice(0, MOST_PATCH), truncated: patch.length > MOST_PATCH };
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/merge",
    id: "mergeRun",
    tag: "results",
    summary: "Take the work of a run onto a branch",
    role: "approver",
    command: "merge",
    params: RunParams,
    body: z.strictObject({
      into: text(1, 200).optional(),
      no_fast_forward: z.boolean().default(false),
      partial: z.boolean().default(false),
      as: z.array(text(1, 100)).max(20).default([]),
    }),
    answer: MergeJson.openapi("Merge"),
    handle: async ({ place, params, body, principal }) => {
      const { context } = place.project;
      const args = {
        run: params.run,
        into: body.into,
        noFastForward: body.no_fast_forward,
        partial: body.partial,
        exportBranch: undefined,
        by: nameOf(principal),
        as: body.as,
        unsafeNoSandbox: false,
        via: principal.via,
      };
      return answerOf(await useCases.mergeIntoBranch(args, context));
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/verification",
    id: "verifyRun",
    tag: "results",
    summary: "Fold the log of a run again, and prove its chain, its records, its commits and its plan",
    role: "reader",
    command: "verify",
    params: RunParams,
    body: z.strictObject({}),
    answer: VerificationJson.openapi("Verification"),
    handle: async ({ place, params }) => {
      const { context } = place.project;
      const args = { anchors: [], keys: [], environment: context.project.environment };
      return answerOf(await useCases.verify(params.run, args, context));
    },
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/tape",
    id: "exportRun",
    tag: "results",
    summary: "The log of a run with its signed checkpoints, as JSON lines that anyone can verify",
    role: "reader",
    command: "export",
    params: RunParams,
    answer: { bytes: "application/jsonl" },
    handle: async ({ place, params, request }) => {
      const { context } = place.project;
      const pieces: string[] = [];
      const args = { run: params.run, out: undefined, format: "jsonl" as const };
      const finished = await useCases.exportRun(args, async (piece) => void pieces.push(piece), context);
      if (finished.exitCode !== EXIT.done) answerOf(finished);
      const { run_id = params.run } = finished.report as { run_id?: string };
      return packBody(request, Buffer.from(pieces.join("")), 200, {
        "content-type": "application/jsonl; charset=utf-8",
        "content-disposition": `attachment; filename="${run_id}.tape"`,
        "cache-control": "private, no-cache",
        vary: "Accept-Encoding",
      });
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/tasks/{task}/retry",
    id: "retryTask",
    tag: "tasks",
    summary: "Order another attempt at a task that waits on a person",
    role: "approver",
    command: "retry",
    params: TaskParams,
    body: z.strictObject({ agent: text(1, 200).optional(), note: text(1, 1000).optional() }),
    answer: DecisionJson.openapi("DecisionTaken"),
    handle: async ({ server, place, params, body, principal }) => {
      const { context } = place.project;
      const args = {
        run: params.run,
        task: params.task,
        approve: true,
        agent: body.agent,
        note: body.note,
        by: nameOf(principal),
        waitMs: 5000,
        via: principal.via,
      };
      return afterDecision(await useCases.retryTask(args, context), place, server);
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/tasks/{task}/changes",
    id: "changeTask",
    tag: "tasks",
    summary: "Skip, delete, reassign or reprioritise a task; by the contract it may wait for approval first",
    role: "approver",
    command: "tasks skip",
    params: TaskParams,
    body: z.strictObject({ change: TaskChange }),
    answer: DecisionJson.openapi("DecisionTaken"),
    handle: async ({ server, place, params, body, principal }) => {
      const { context } = place.project;
      const args = {
        run: params.run,
        task: params.task,
        change: body.change,
        approve: false,
        by: nameOf(principal),
        waitMs: 5000,
        via: principal.via,
      };
      return afterDecision(await useCases.changeTask(args, context), place, server);
    },
  }),
];
