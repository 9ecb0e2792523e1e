import { safeImage, type SafeImage } from "../../analysis/safe-image.ts";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { Attachment } from "../../core/message.ts";
import { composeShownPage, contentIdOf, inlineBytesMax } from "../../previews/shown-page.ts";
import type { InlinePart, ShownHtml } from "../../previews/shown-page.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../services/security/access.ts";
import { getAttachment, getMessage } from "../services/reading/get-message.ts";

/** Inline parts of one page; each is loaded separately. */
const inlineCountMax = 200;
/** Characters of HTML, and bytes of inline parts, up to which a page is composed on the main thread. */
const smallLengthMax = 128 * 1024;
const smallPartsBytesMax = 512 * 1024;
const cidReference = /cid:([^"'\s)<>\\]{1,400})/gi;

/**
 * Returns the HTML body of a message, sanitised for browsers by `composeShownPage`. Large ones are composed in the
 * inspector's process. Rejects with `not_found`, also without HTML, and with `unavailable` when that process fails.
 */
export async function showHtml(
  context: Context,
  principal: Principal,
  { id, ...choices }: { readonly id: string } & Pick<ShownHtml, "isRemoteAllowed" | "isDark">,
): Promise<string> {
  const { html, attachments } = await getMessage(context, principal, id);
  if (html.body === null) throw new Problem("not_found", { text: "This message has no HTML" });
  const parts = await readParts(context, principal, partsNamedIn(html.body, attachments));
  const shown: ShownHtml = { html: html.body, parts, ...choices };
  const partsBytes = parts.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  return shown.html.length <= smallLengthMax && partsBytes <= smallPartsBytesMax
    ? composeShownPage(shown)
    : context.inspector.inspect(async () => new Uint8Array(), { kind: "page", shown }, callerOf(principal, context));
}

function partsNamedIn(html: string, attachments: readonly Attachment[]): readonly Attachment[] {
  const names = new Set<string>();
  for (const [url] of html.matchAll(cidReference)) {
    // In attributes `&` is written as a character reference.
    const written = url.replaceAll("&amp;", "&");
    names.add(contentIdOf(written)).add(written.slice(4));
  }
  const named = attachments.filter(({ contentId }) => contentId !== null && names.has(contentId));
  return named.slice(0, inlineCountMax);
}

async function readParts(
  context: Context,
  principal: Principal,
  attachments: readonly Attachment[],
): Promise<readonly InlinePart[]> {
  const parts = new Map<string, InlinePart>();
  let budget = inlineBytesMax;
  for (const { id, contentId, length } of attachments) {
    if (contentId === null || parts.has(contentId) || length > budget) continue;
    const { bytes } = await getAttachment(context, principal, id);
    budget -= length;
    // Copied, because cloning a view for another thread clones the whole mail.
    parts.set(contentId, { contentId, bytes: new Uint8Array(bytes) });
  }
  return Array.from(parts.values());
}

/**
 * Returns an attachment as an image, whose format is detected from its bytes. Rejects with `not_found`, also when it is not
 * a supported image.
 */
export async function previewImage(context: Context, principal: Principal, idText: string): Promise<SafeImage> {
  const { bytes } = await getAttachment(context, principal, idText);
  const image = safeImage(bytes);
  if (image === undefined)
    throw new Problem("not_found", { text: "This attachment is not an image that can be shown" });
  return image;
}
