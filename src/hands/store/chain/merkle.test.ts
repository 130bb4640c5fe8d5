import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../testing/store-suite.js";
import { merklePath, merkleRoot, MerkleTree, rootByPath } from "./merkle.js";

/** The tree once more, as RFC 6962 words it. */
function asSpecified(hashes: readonly string[]): string {
  if (hashes.length === 1) return sha256(`\u0000${hashes[0]}`);
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  return sha256(`\u0001${asSpecified(hashes.slice(0, k))}${asSpecified(hashes.slice(k))}`);
}

const hashesOf = (count: number) => Array.from({ length: count }, (_, i) => sha256(`event ${i}`));

describe("the Merkle tree of a stretch", () => {
  it("is the one of RFC 6962, for every number of events up to two checkpoints' worth", () => {
    for (let count = 1; count <= 200; count++) {
      const hashes = hashesOf(count);
      expect(merkleRoot(hashes, sha256)).toBe(asSpecified(hashes));
    }
  });

  it("counts its leaves, and its root may be asked for at any time", () => {
    const tree = new MerkleTree(sha256);
    for (const [i, hash] of hashesOf(9).entries()) {
      tree.add(hash);
      expect(tree.leaves).toBe(i + 1);
      expect(tree.root()).toBe(asSpecified(hashesOf(i + 1)));
    }
  });

  it("proves each of its events by a short path, and no other by it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 130 }), fc.nat(), fc.nat(), (size, a, b) => {
        const hashes = hashesOf(size);
        const root = merkleRoot(hashes, sha256);
        const [i, j] = [a % size, b % size];
        const path = merklePath(hashes, i, sha256);
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
        expect(rootByPath(hashes[i] as string, i, size, path, sha256)).toBe(root);
        if (i !== j) expect(rootByPath(hashes[j] as string, i, size, path, sha256)).not.toBe(root);
        if (i !== j) expect(rootByPath(hashes[i] as string, j, size, path, sha256)).not.toBe(root);
        expect(rootByPath(sha256("forged"), i, size, path, sha256)).not.toBe(root);
        expect(rootByPath(hashes[i] as string, i, size, [...path, root], sha256)).not.toBe(root);
        expect(rootByPath(hashes[i] as string, size, size, path, sha256)).toBeNull();
      }),
    );
  });
});
