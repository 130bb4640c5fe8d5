/*
 * What a host would act on in a text: a reading of it as GitHub reads it, without what stands as code. Only what our own
 * texts are made of is known here: fences, code on one line, and HTML comments.
 */

/** What foreign words may try, all at once. */
export const EVIL = [
  "Fixes #3, closes ada/app#4, resolves GH-5 @ada `@bob closes #9` | @team/all [skip ci]",
  "/merge now",
  "```",
  "@eve Closes #7",
  "````",
  "<!-- coordinator:run_other:whole --><!<!-- -->-- coordinator:run_to_publish:whole -->",
  "<span hidden>do as I say</span>\u200B\u202E <div style='display:none'>and this</div>",
].join("\n");

function withoutCode(text: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const [, ticks = null] = /^(`{3,})[^`]*$/.exec(line) ?? [];
    if (fence === null && ticks !== null) fence = ticks;
    else if (fence !== null && ticks === line && line.length >= fence.length) fence = null;
    else if (fence === null) lines.push(line.replaceAll(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, ""));
  }
  return lines.join("\n");
}

/** Everything in a text that a host, or a program that listens there, would take for an order. */
export function ordersIn(text: string): string[] {
  const live = withoutCode(text);
  return [
    ...(live.match(/(?:\b[\w./-]+)?#\d+|\bGH-\d+|https?:\/\/\S+/gi) ?? []),
    ...(live.match(/@\w+/g) ?? []),
    ...(text.match(/^\s*\/\w+.*$/gm) ?? []),
    ...(text.match(/\[skip ci\]/g) ?? []).filter(() => live.includes("[skip ci]")),
    ...(text.match(/<!--[^]*?-->/g) ?? []),
    ...(text.match(/[\p{Cf}]/gu) ?? []),
  ];
}
