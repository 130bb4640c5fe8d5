/** How many branches share one node: changing an entry copies the nodes on the way to it, and no other. */
const BITS = 4;
const WIDTH = 1 << BITS;

type Node<T> = readonly (Node<T> | T)[];

/**
 * A list that is changed by making another one, which shares everything but the way to the changed entry. A run of ten
 * thousand tasks changes one task an event; copying all of them each time would make the run quadratic.
 */
export class Chunked<T> {
  readonly length: number;
  readonly #root: Node<T>;
  /** By how much an index is shifted to find its branch at the root. */
  readonly #shift: number;

  private constructor(root: Node<T>, length: number, shift: number) {
    this.#root = root;
    this.length = length;
    this.#shift = shift;
  }

  static of<T>(values: readonly T[]): Chunked<T> {
    let nodes: Node<T> = packValues(values);
    let shift = 0;
    for (; nodes.length > WIDTH; shift += BITS) nodes = groupChunks(nodes);
    return new Chunked(nodes, values.length, shift);
  }

  /** Contract: `at` is a place of the list. */
  get(at: number): T {
    let node = this.#root;
    for (let shift = this.#shift; shift > 0; shift -= BITS) node = node[(at >>> shift) & (WIDTH - 1)] as Node<T>;
    return node[at & (WIDTH - 1)] as T;
  }

  /** Contract: `at` is a place of the list. */
  with(at: number, value: T): Chunked<T> {
    return new Chunked(setInNode(this.#root, at, value, this.#shift), this.length, this.#shift);
  }

  *[Symbol.iterator](): Generator<T> {
    for (let at = 0; at < this.length; at++) yield this.get(at);
  }
}

/**
 * A copy that is always made the same way. Lists that look alike may be of several kinds to the runtime, depending on what
 * made them and on how warm that was, and anyone who reads entries is compiled for the kinds it has met: a new kind, late,
 * throws away the code of everything that touches a task.
 */
function packValues<T>(values: Iterable<T>): T[] {
  const copy: T[] = [];
  for (const value of values) copy.push(value);
  return copy;
}

function groupChunks<T>(nodes: Node<T>): Node<T> {
  const groups: Node<T>[] = [];
  for (let i = 0; i < nodes.length; i += WIDTH) groups.push(nodes.slice(i, i + WIDTH));
  return groups;
}

function setInNode<T>(node: Node<T>, at: number, value: T, shift: number): Node<T> {
  const branch = (at >>> shift) & (WIDTH - 1);
  const copy = node.slice();
  copy[branch] = shift === 0 ? value : setInNode(node[branch] as Node<T>, at, value, shift - BITS);
  return copy;
}
