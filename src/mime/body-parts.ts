import type { DraftPart, Part } from "./part.ts";

/** Leaves of a part tree by their role; every leaf is in exactly one list, each list in MIME order. */
export interface BodyParts {
  readonly textParts: readonly Part[];
  readonly htmlParts: readonly Part[];
  readonly attachments: readonly Part[];
}

/** Body parts while the mail is being parsed. */
export type Sorted = { readonly [Key in keyof BodyParts]: DraftPart[] };

/** File name extensions that differ from the subtype. */
const extensions: ReadonlyMap<string, string> = new Map([
  ["text/calendar", "ics"],
  ["text/html", "html"],
  ["text/x-amp-html", "amp.html"],
  ["message/delivery-status", "txt"],
  ["message/disposition-notification", "txt"],
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["image/tiff", "tif"],
  ["audio/mpeg", "mp3"],
  ["application/gzip", "gz"],
  ["application/json", "json"],
  ["application/msword", "doc"],
  ["application/pgp-signature", "asc"],
  ["application/pkcs7-mime", "p7m"],
  ["application/pkcs7-signature", "p7s"],
  ["application/x-pkcs7-signature", "p7s"],
]);

/**
 * Sorts the leaves as email clients do (RFC 8621 §4.1.4). A `text/plain` or `text/html` leaf belongs to the body unless
 * its disposition is attachment, or it is a file beside other parts: a named one that is neither the first child nor an
 * alternative, one with a Content-ID in a multipart/related that is not its root (RFC 2387), or a second alternative of the
 * same type. All other leaves are attachments, including images in an alternative, a message/rfc822 as a whole, and a
 * multipart that is nested too deeply to be parsed. Attachments without a name get their Content-ID as `fileName`, else
 * `attachment-<position from 1>.<extension>`.
 */
export function sortLeaves(root: DraftPart): Sorted {
  const sorted = { textParts: [] as DraftPart[], htmlParts: [] as DraftPart[], attachments: [] as DraftPart[] };
  sortPart(root, null, sorted);
  for (const [index, part] of sorted.attachments.entries()) {
    part.fileName ??= part.contentId ?? `attachment-${index + 1}.${extensionOf(part.mediaType)}`;
  }
  return sorted;
}

/** Multipart around a part. */
interface Parent {
  readonly part: DraftPart;
  /** First child, or the root of a multipart/related. */
  readonly root: DraftPart | undefined;
}

function sortPart(part: DraftPart, parent: Parent | null, sorted: Sorted): void {
  if (part.children.length > 0) {
    const within = { part, root: part.mediaType === "multipart/related" ? rootOf(part) : part.children[0] };
    for (const child of part.children) sortPart(child, within, sorted);
  } else if (!isBody(part, parent)) sorted.attachments.push(part);
  else if (part.mediaType === "text/html") sorted.htmlParts.push(part);
  else sorted.textParts.push(part);
}

function isBody(part: DraftPart, parent: Parent | null): boolean {
  if (part.mediaType !== "text/plain" && part.mediaType !== "text/html") return false;
  if (part.disposition === "attachment") return false;
  if (parent === null || parent.root === part) return true;
  const { mediaType, children } = parent.part;
  if (mediaType === "multipart/alternative") {
    return children.find((sibling) => sibling.mediaType === part.mediaType) === part;
  }
  return part.fileName === null && (part.contentId === null || mediaType !== "multipart/related");
}

/**
 * Returns the root of a multipart/related (RFC 2387 §3.2): the part that `start` names, else the first. If that is neither
 * text nor a multipart, as when images come first, it is the first part of the declared `type`, else the first that is.
 */
function rootOf({ children, parameters }: DraftPart): DraftPart | undefined {
  const start = parameters.get("start")?.trim().replace(/^</, "").replace(/>$/, "");
  const named = start === undefined ? undefined : children.find(({ contentId }) => contentId === start);
  if (named !== undefined) return named;
  const first = children[0];
  if (first !== undefined && isReadable(first)) return first;
  const type = parameters.get("type")?.trim().toLowerCase();
  const readable = children.filter((child) => isReadable(child));
  return readable.find(({ mediaType }) => mediaType === type) ?? readable[0] ?? first;
}

function isReadable({ mediaType, disposition }: DraftPart): boolean {
  if (disposition === "attachment") return false;
  return mediaType === "text/html" || mediaType === "text/plain" || mediaType.startsWith("multipart/");
}

function extensionOf(mediaType: string): string {
  const subtype = mediaType.slice(mediaType.indexOf("/") + 1);
  const known = extensions.get(mediaType);
  if (known !== undefined) return known;
  if (mediaType.startsWith("message/")) return "eml";
  if (/^[a-z0-9]{2,4}$/.test(subtype)) return subtype;
  return mediaType.startsWith("text/") ? "txt" : "bin";
}
