import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";

/*
 * Git's objects, read and written through processes that stay open while they are needed. Starting git costs a hundred
 * times what reading an object does, and a merge reads and writes a handful.
 */

/** How to start a git that is talked to. */
export interface GitProcesses {
  /** Contract: resolves when the process has ended, however it ended. */
  readonly open: (args: readonly string[], input: Readable, onOutput: (chunk: Buffer) => void) => Promise<unknown>;
  /** A folder for files that live as long as a question. */
  readonly temporary: string;
  /** Who makes commits: `name <address>`. */
  readonly committer: string;
}

interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

/** Names are kept as bytes: one character each. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export const TREE_MODE = "40000";
const LINK_MODE = "160000";

export class GitObjects {
  readonly committer: string;
  readonly #processes: GitProcesses;
  readonly #reader: Conversation;
  #treeWriter: Conversation | null = null;
  #commitWriter: Conversation | null = null;

  constructor(processes: GitProcesses) {
    this.#processes = processes;
    this.committer = processes.committer;
    this.#reader = new Conversation(processes, ["cat-file", "--batch-command"]);
  }

  /** Contract: the object a name stands for, or null when there is none. */
  read(name: string): Promise<GitObject | null> {
    return this.#reader.ask(line(`contents ${name}`), readObject);
  }

  /** Contract: how large an object is, without reading it; null when there is none. */
  async sizeOf(name: string): Promise<number | null> {
    const [, , size] = ANSWER.exec(await this.#reader.ask(line(`info ${name}`), readLine))?.slice(1) ?? [];
    return size === undefined ? null : Number(size);
  }

  writeTree(tree: Tree): Promise<string> {
    this.#treeWriter ??= new Conversation(this.#processes, ["mktree", "--batch", "-z", "--missing"]);
    const kind = (mode: string) => (mode === TREE_MODE ? "tree" : mode === LINK_MODE ? "commit" : "blob");
    const entries = [...tree].map(([name, { mode, oid }]) => `${mode} ${kind(mode)} ${oid}\t${name}\0`);
    return this.#treeWriter.ask(Buffer.from(`${entries.join("")}\0`, "latin1"), readLine);
  }

  /** Contract: resolves with its id when git has written it; rejects for what is no commit. */
  async writeCommit(content: string): Promise<string> {
    const args = ["hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"];
    this.#commitWriter ??= new Conversation(this.#processes, args);
    const file = join(this.#processes.temporary, `commit-${randomUUID()}`);
    try {
      await writeFile(file, content, { mode: 0o600 });
      return await this.#commitWriter.ask(line(file), readLine);
    } finally {
      await rm(file, { force: true });
    }
  }

  async close(): Promise<void> {
    const open = [this.#reader, this.#treeWriter, this.#commitWriter].filter((each) => each !== null);
    await Promise.all(open.map((conversation) => conversation.end()));
  }
}

/** An answer at the beginning of what was heard, and where it ends; null when it is not all there yet. */
type Take<T> = (heard: Buffer) => { readonly answer: T; readonly end: number } | null;

interface Waiting {
  /** Whether what was heard held the answer, and where it ended. */
  readonly take: (heard: Buffer) => number | null;
  readonly reject: (error: Error) => void;
}

/** Questions and their answers: git answers each before it reads the next. */
class Conversation {
  readonly #input = new PassThrough();
  readonly #ended: Promise<void>;
  readonly #waiting: Waiting[] = [];
  #heard: Buffer[] = [];
  #isOver = false;

  constructor({ open }: GitProcesses, args: readonly string[]) {
    const over = () => {
      this.#isOver = true;
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`git ${args[0]} ended without an answer`));
    };
    this.#ended = open(args, this.#input, (chunk) => this.#hear(chunk)).then(over, over);
  }

  ask<T>(question: Buffer, take: Take<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        reject(new Error("git has ended and cannot be asked"));
        return;
      }
      const answered = (heard: Buffer) => {
        const taken = take(heard);
        if (taken === null) return null;
        resolve(taken.answer);
        return taken.end;
      };
      this.#waiting.push({ take: answered, reject });
      this.#input.write(question);
    });
  }

  end(): Promise<void> {
    this.#input.end();
    return this.#ended;
  }

  #hear(chunk: Buffer): void {
    this.#heard.push(chunk);
    let heard = this.#heard.length === 1 ? chunk : Buffer.concat(this.#heard);
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const end = next.take(heard);
      if (end === null) break;
      heard = heard.subarray(end);
      this.#waiting.shift();
    }
    this.#heard = heard.length === 0 ? [] : [heard];
  }
}

/** Contract: one line; a name with a line's end in it would be two questions. */
function line(text: string): Buffer {
  if (text.includes("\n")) throw new Error("a name must not end a line");
  return Buffer.from(`${text}\n`);
}

function readLine(heard: Buffer): { answer: string; end: number } | null {
  const end = heard.indexOf(10);
  return end < 0 ? null : { answer: heard.toString("utf8", 0, end), end: end + 1 };
}

const ANSWER = /^([0-9a-f]{40,64}) (\w+) (\d+)$/;

/** `<oid> <type> <size>`, the content and a line's end; or the name and why it is no object. */
function readObject(heard: Buffer): { answer: GitObject | null; end: number } | null {
  const header = readLine(heard);
  if (header === null) return null;
  const [, oid, type, size] = ANSWER.exec(header.answer) ?? [];
  if (oid === undefined || type === undefined) return { answer: null, end: header.end };
  const end = header.end + Number(size);
  // The content is copied: what was heard is let go.
  return heard.length <= end
    ? null
    : { answer: { oid, type, content: Buffer.from(heard.subarray(header.end, end)) }, end: end + 1 };
}
