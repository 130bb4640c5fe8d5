import { Transform } from "node:stream";

/**
 * Takes secrets out of what passes, in place, so that lengths stay as they were said.
 *
 * Contract: finds a secret also where it is split over chunks; holds back no more than what could be the start of one.
 */
export function redactStream(secrets: readonly string[]): Transform {
  const wanted = secrets.filter((secret) => secret.length >= 8).map((secret) => Buffer.from(secret));
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const all = coverSecrets(Buffer.concat([held, chunk]), wanted);
      const keep = Math.max(0, ...wanted.map((secret) => openEnd(all, secret)));
      held = all.subarray(all.length - keep);
      done(null, all.subarray(0, all.length - keep));
    },
    flush(done) {
      done(null, held);
    },
  });
}

function coverSecrets(bytes: Buffer, secrets: readonly Buffer[]): Buffer {
  for (const secret of secrets)
    for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at))
      bytes.fill("*", at, at + secret.length);
  return bytes;
}

/** How many bytes at the end are the start of the secret. */
function openEnd(bytes: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
  return 0;
}
