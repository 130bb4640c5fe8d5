/** Words as they are compared: lower case, without accents, in one width. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("œ", "oe")
    .replaceAll("æ", "ae")
    .replaceAll("ł", "l")
    .replaceAll(/[’‘`]/g, "'");
}

/** Text without the marks of Markdown: links become their words, emphasis goes, code keeps its backticks. */
export function plain(text: string): string {
  return text
    .replaceAll(/!\[([^\][]{0,500})\]\([^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500})?\)/g, "$1")
    .replaceAll(/\[([^\][]{0,500})\]\([^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500})?\)/g, "$1")
    .replaceAll(/\[([^\][]{1,500})\]\[[^\][]{0,200}\]/g, "$1")
    .replaceAll(
      /\[\[([^\][|]{0,200})(?:\|([^\][]{0,200}))?\]\]/g,
      (_, target: string, words?: string) => words ?? target,
    )
    .replaceAll(/(`[^`]{0,500}`)|<\/?(?:a|b|br|code|del|em|i|p|s|span|strong|sub|sup|u)(?:\s[^<>]{0,300})?\/?>/gi, "$1")
    .replaceAll(/\*\*(?=\S)([^*]{1,500}?)\*\*/g, "$1")
    .replaceAll(/__(?=\S)([^*_]{1,500}?)__/g, "$1")
    .replaceAll(/(?<![\w*])([*_])(?=\S)([^*_]{1,500}?)\1(?![\w*])/g, "$2")
    .replaceAll(/\s+/g, " ")
    .trim();
}
