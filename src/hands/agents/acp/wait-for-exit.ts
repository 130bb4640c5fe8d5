/** A program that closes its output and has not ended after this does go on running. */
const ENDS_WITHIN_MS = 10_000;

/**
 * The end of the output is seen before the end of the program is reported: on a busy machine long before, since every part
 * of a sandbox ends after the one inside of it.
 */
export async function waitForExit(ended: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ENDS_WITHIN_MS)));
  await Promise.race([ended, late]);
  clearTimeout(timer);
}
