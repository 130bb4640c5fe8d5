import { z } from "zod";
import { Checksum } from "./primitives.js";

/** An image that was attached to a request, as agents that take images are given it. */
export const AttachedImage = z.strictObject({
  mime_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  data: z.base64().describe("The image itself."),
  checksum: Checksum.describe("SHA-256 over `data`."),
});
export type AttachedImage = z.infer<typeof AttachedImage>;

const KINDS: readonly { readonly begins: string; readonly mime_type: AttachedImage["mime_type"] }[] = [
  { begins: "iVBORw0KGgo", mime_type: "image/png" },
  { begins: "/9j/", mime_type: "image/jpeg" },
  { begins: "R0lGOD", mime_type: "image/gif" },
  { begins: "UklGR", mime_type: "image/webp" },
];
/** More than this of one image is more than agents take. */
const MOST_CHARACTERS = 7_000_000;

/** The kind of image that base64 is, by how it begins; null when it is none that agents take, or too large. */
export function imageIn(content: string): Pick<AttachedImage, "mime_type" | "data"> | null {
  const data = content.replace(/^data:image\/[a-z+.-]+;base64,/, "").replaceAll(/\s+/g, "");
  const kind = KINDS.find(({ begins }) => data.startsWith(begins));
  if (kind === undefined || data.length > MOST_CHARACTERS || !z.base64().safeParse(data).success) return null;
  return { mime_type: kind.mime_type, data };
}
