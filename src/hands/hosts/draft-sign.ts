/* On some hosts a draft is one by how its title begins. The title itself is read and written without that. */

export function addDraftSign(title: string, sign: string): string {
  return `${sign}${title}`;
}

export function withoutDraftSign(title: string, sign: string): string {
  return title.startsWith(sign) ? title.slice(sign.length) : title;
}
