import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { readFileSync } from "../../../foundation/files/read-files.js";
import { linkSync, mkdirSync, rmSync, writeFileSync } from "../../../foundation/files/write-files-sync.js";
import { CoordinatorError } from "../../../model/errors.js";
import type { CheckpointSigner } from "../event-store.js";
import { type Checkpoint, readCheckpoint, readNote, writeNote } from "./checkpoint.js";

/*
 * The key that signs checkpoints: ed25519, in a file of its own that only its owner may read. Anyone who reads it can sign
 * as this Coordinator; what it cannot do is change an anchor that lies elsewhere.
 */

const FILE = "signing-key.pem";
const NAME = "coordinator";

export interface SigningKey extends CheckpointSigner {
  readonly keyId: string;
  readonly publicKeyPem: string;
  /** The bare signature over some bytes, for documents that are not a checkpoint. Contract: never over a note's body. */
  readonly signBytes: (bytes: Buffer) => Buffer;
}

/** The key of a folder; made on first use. Contract: two processes at once end up with the same key. */
export function loadSigningKey(folder: string): SigningKey {
  const path = join(folder, FILE);
  try {
    mkdirSync(folder, { recursive: true });
    const key = createPrivateKey(existingKey(path) ?? newKey(path));
    if (key.asymmetricKeyType !== "ed25519") throw new TypeError(`it is of the kind ${key.asymmetricKeyType}`);
    const publicKey = createPublicKey(key);
    const keyId = keyIdOf(publicKey);
    return {
      keyId: keyId.toString("hex"),
      publicKeyPem: publicKey.export({ type: "spki", format: "pem" }) as string,
      signBytes: (bytes) => sign(null, bytes, key),
      sign: (body) => {
        const signature = Buffer.concat([keyId, sign(null, Buffer.from(body), key)]).toString("base64");
        return writeNote({ body, keyName: NAME, signature });
      },
    };
  } catch (cause) {
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError(
      "FILE_UNREADABLE",
      `The signing key ${path} cannot be used: ${(cause as Error).message}`,
      {
        cause,
        fix: "Check that the folder can be written to, or move the file away to get a new key.",
      },
    );
  }
}

function existingKey(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0)
    throw new CoordinatorError("FILE_UNREADABLE", `Others may read the signing key ${path}`, {
      fix: `chmod 600 ${path}, or move the file away to get a new key.`,
    });
  return readFileSync(path, "utf8");
}

function newKey(path: string): string {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, pem, { mode: 0o600, flag: "wx", flush: true });
  try {
    linkSync(draft, path);
    return pem;
  } catch (error) {
    // Somebody else was first: theirs is the key.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return readFileSync(path, "utf8");
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The checkpoint a note holds, if this key signed it. Contract: total; null for anything else. */
export function openCheckpoint(note: string, publicKeyPem: string): Checkpoint | null {
  return checkpointOpener(publicKeyPem)(note);
}

/** Opens many notes with one key: reading a key costs more than using it. */
export function checkpointOpener(publicKeyPem: string): (note: string) => Checkpoint | null {
  const key = createPublicKey(publicKeyPem);
  const keyId = keyIdOf(key);
  return (note) => {
    const read = readNote(note);
    if (read === null || read.keyName !== NAME) return null;
    const bytes = Buffer.from(read.signature, "base64");
    // Base64 has spare bits at its end: only one way to write a signature is taken.
    if (bytes.toString("base64") !== read.signature) return null;
    if (bytes.length !== 68 || !bytes.subarray(0, 4).equals(keyId)) return null;
    return verify(null, Buffer.from(read.body), key, bytes.subarray(4)) ? readCheckpoint(read.body) : null;
  };
}

/** As signed notes number keys: the name, and the kind and bytes of the key, hashed. */
function keyIdOf(key: KeyObject): Buffer {
  const raw = key.export({ type: "spki", format: "der" }).subarray(-32);
  return createHash("sha256")
    .update(`${NAME}\n`)
    .update(Buffer.from([1]))
    .update(raw)
    .digest()
    .subarray(0, 4);
}
