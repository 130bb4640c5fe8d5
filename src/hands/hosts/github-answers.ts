import { z } from "zod";
import type {
  HostCheck,
  HostComment,
  HostIssue,
  HostPull,
  HostRemark,
  HostRepository,
  HostRight,
  HostStatus,
  HostUser,
} from "./code-host.js";

/* GitHub's answers, as far as they are read: fields that its versions 2022-11-28 and 2026-03-10 both have. */

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const number = z.int().min(1);

export const User = z
  .object({ id: number, login: z.string(), type: z.string().optional() })
  .transform(({ id, login, type }): HostUser => ({ id, login, isBot: type !== undefined && type !== "User" }));
/** Null for an account that was deleted. */
const author = User.nullish().transform((user) => user ?? null);

export const Repository = z
  .object({
    full_name: z.string(),
    default_branch: z.string(),
    permissions: z.object({ push: z.boolean().optional() }).optional(),
  })
  .transform(({ permissions, ...rest }): HostRepository => ({ ...rest, mayPush: permissions?.push ?? null }));

const Label = z.union([z.string(), z.object({ name: text }).transform(({ name }) => name)]);

export const Issue = z
  .object({
    id: number,
    number,
    title: z.string(),
    body: text,
    user: author,
    state: z.enum(["open", "closed"]),
    created_at: z.string(),
    updated_at: z.string(),
    labels: z.array(Label).default([]),
    pull_request: z.unknown().optional(),
  })
  .transform(({ user, pull_request, ...rest }): HostIssue => ({
    ...rest,
    author: user,
    isPull: pull_request !== undefined,
  }));

const commentFields = {
  id: number,
  body: text,
  user: author,
  created_at: z.string(),
  updated_at: z.string(),
  html_url: text,
};

export const Comment = z
  .object(commentFields)
  .transform(({ user, html_url, ...rest }): HostComment => ({ ...rest, author: user, address: html_url }));

export const Remark = z
  .object({
    ...commentFields,
    in_reply_to_id: number.optional(),
    path: z.string(),
    line: z.int().nullish(),
    commit_id: z.string(),
  })
  .transform(({ user, html_url, in_reply_to_id, line, commit_id, ...rest }): HostRemark => ({
    ...rest,
    author: user,
    address: html_url,
    thread: String(in_reply_to_id ?? rest.id),
    line: line ?? null,
    commit: commit_id,
  }));

const End = z.object({
  ref: z.string(),
  sha: z.string(),
  repo: z.object({ full_name: z.string() }).nullish(),
});

export const Pull = z
  .object({
    number,
    title: z.string(),
    body: text,
    state: z.enum(["open", "closed"]),
    merged_at: z.string().nullish(),
    draft: z.boolean().default(false),
    user: author,
    html_url: text,
    head: End,
    base: End,
  })
  .transform(({ merged_at, user, html_url, head, base, ...rest }): HostPull => ({
    ...rest,
    merged: typeof merged_at === "string",
    author: user,
    address: html_url,
    head: { branch: head.ref, commit: head.sha, repository: head.repo?.full_name ?? null },
    base: base.ref,
  }));

export const Status = z
  .object({
    context: z.string(),
    state: z.enum(["error", "failure", "pending", "success"]),
    description: text,
    creator: author,
  })
  .transform(({ creator, ...rest }): HostStatus => ({ ...rest, author: creator }));

export const CheckRun = z
  .object({
    id: number,
    name: z.string(),
    conclusion: z.string().nullish(),
    html_url: text,
    output: z.object({ title: text, summary: text }).nullish(),
  })
  .transform(({ conclusion, html_url, output, ...rest }): HostCheck => ({
    ...rest,
    conclusion: conclusion ?? null,
    summary: [output?.title ?? "", output?.summary ?? ""].filter(Boolean).join("\n"),
    address: html_url,
  }));

export const Right = z
  .object({ permission: z.string(), user: author })
  .transform(({ permission, user }): HostRight => ({
    user,
    right: ["admin", "write", "read"].includes(permission) ? (permission as HostRight["right"]) : "none",
  }));
