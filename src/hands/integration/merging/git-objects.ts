import { PassThrough, Readable } from "node:stream";
import { type HashName, idOf, type NewObject, packOf, type Tree, treeBytes } from "./object-bytes.js";

/*
 * Git's objects, read through a process that stays open while it is needed, and written together. Starting git costs a
 * hundred times what reading an object does, and a merge reads and writes a handful: what is made is kept here until
 * somebody else has to see it, and is then given to git at once.
 */

/** How to start a git that is talked to. */
export interface GitProcesses {
  /** Contract: resolves when the process has ended, however it ended. */
  readonly open: (args: readonly string[], input: Readable, onOutput: (chunk: Buffer) => void) => Promise<unknown>;
  /** Who makes commits: `name <address>`. */
  readonly committer: string;
  /** The author of the commits; the committer when absent. */
  readonly author?: string;
}

interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

const UNPACKED = 100;

export class GitObjects {
  readonly committer: string;
  readonly author: string;
  readonly #processes: GitProcesses;
  readonly #reader: Conversation;
  /** New objects that git has not been given yet. */
  readonly #made = new Map<string, NewObject>();
  #hash: HashName = "sha1";

  constructor(processes: GitProcesses) {
    this.#processes = processes;
    this.committer = processes.committer;
    this.author = processes.author ?? processes.committer;
    this.#reader = new Conversation(processes, ["cat-file", "--batch-command"]);
  }

  /** Contract: the object a name stands for, or null when there is none. */
  async read(name: string): Promise<GitObject | null> {
    const made = this.#made.get(name);
    if (made !== undefined) return { oid: name, ...made };
    const found = await this.#reader.ask(line(`contents ${name}`), readObject);
    if (found !== null) this.#hash = found.oid.length === 64 ? "sha256" : "sha1";
    return found;
  }

  /** Contract: how large an object is, without reading it; null when there is none. */
  async sizeOf(name: string): Promise<number | null> {
    const made = this.#made.get(name);
    if (made !== undefined) return made.content.length;
    const [, , size] = ANSWER.exec(await this.#reader.ask(line(`info ${name}`), readLine))?.slice(1) ?? [];
    return size === undefined ? null : Number(size);
  }

  writeTree(tree: Tree): string {
    return this.#make({ type: "tree", content: treeBytes(tree) });
  }

  writeCommit(content: string): string {
    return this.#make({ type: "commit", content: Buffer.from(content) });
  }

  writeBlob(content: Buffer): string {
    return this.#make({ type: "blob", content });
  }

  #make(made: NewObject): string {
    const oid = idOf(made, this.#hash);
    this.#made.set(oid, made);
    return oid;
  }

  /** Contract: when it resolves, git has everything that was made here; rejects when it has not. */
  async flush(): Promise<void> {
    if (this.#made.size === 0) return;
    const pack = packOf([...this.#made.values()], this.#hash);
    // As git does with what it is sent: a few are kept each for itself, many as they came.
    const args = this.#made.size > UNPACKED ? ["index-pack", "--stdin"] : ["unpack-objects", "-q"];
    await this.#processes.open(args, Readable.from([pack]), () => undefined);
    const asked = [...this.#made.keys()].map((oid) => this.#reader.ask(line(`info ${oid}`), readLine));
    for (const answer of await Promise.all(asked))
      if (!ANSWER.test(answer)) throw new Error(`git ${args[0]} did not take what was made: ${answer}`);
    this.#made.clear();
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#reader.end();
    }
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
      const answer = (heard: Buffer) => {
        const taken = take(heard);
        if (taken === null) return null;
        resolve(taken.answer);
        return taken.end;
      };
      this.#waiting.push({ take: answer, reject });
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

/** `<oid> <type> <size>`, the content and a line's end; or the name and why it is not an object. */
function readObject(heard: Buffer): { answer: GitObject | null; end: number } | null {
  const header = readLine(heard);
  if (header === null) return null;
  const [, oid, type, size] = ANSWER.exec(header.answer) ?? [];
  if (oid === undefined || type === undefined) return { answer: null, end: header.end };
  const end = header.end + Number(size);
  // The content is copied: the received buffer is released.
  return heard.length <= end
    ? null
    : { answer: { oid, type, content: Buffer.from(heard.subarray(header.end, end)) }, end: end + 1 };
}
