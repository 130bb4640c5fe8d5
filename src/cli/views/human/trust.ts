import type { TrustShown } from "../../../app/setup-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { type Paint } from "./screen.js";

export function trustText({ root, hash, reaches, gone, agreedAt, file, done }: TrustShown, paint: Paint): string[] {
  if (done === "revoked" || done === "nothing_to_revoke")
    return [
      done === "revoked" ? `Taken back: nothing of ${root} is agreed to any more.` : "There was nothing to take back.",
    ];
  if (reaches.length === 0) return [`${paint.good("+ good")}  Nothing in ${root} reaches beyond it.`];
  const marks = {
    own: paint.good("+ in your own settings"),
    agreed: paint.good("+ agreed"),
    waiting: paint.careful("~ waits for you"),
    own_settings: paint.bad("x only in your own settings"),
    refused: paint.bad("x never"),
  };
  const waits = reaches.some(({ status }) => status === "waiting");
  return [
    `What ${root} reaches beyond it`,
    ...reaches.map(
      ({ status, says, where }) => `  ${marks[status]}  ${oneLine(says)} ${paint.dim(`(${oneLine(where)})`)}`,
    ),
    ...gone.map((says) => `  ${paint.dim(`- no longer asked for: ${oneLine(says)}`)}`),
    ...(hash === null ? [] : ["", `Hash: ${hash}`]),
    ...(agreedAt === null ? [] : [`Agreed on ${agreedAt}${file === null ? "" : `, in ${file}`}`]),
    ...(done === "declined" ? ["Not agreed: it has no effect, and everything else works without it."] : []),
    ...(waits && done === "shown" ? ["Next: coordinator trust"] : []),
  ];
}
