import type { Principal } from "../core/api-key.ts";
import { Problem } from "../core/errors.ts";
import type { Attachment } from "../core/message.ts";
import type { Context } from "./context.ts";
import { flattenHtml } from "../analysis/flatten-html.ts";
import { getAttachment } from "./get-attachment.ts";
import { getMessage } from "./get-message.ts";
import { safeImage } from "../analysis/safe-image.ts";

/** Bytes of inline images that one page carries; the others stay broken. */
const inlineBytesMax = 16 * 1024 * 1024;
/** Elements nested within each other; real mails have some forty. */
const depthMax = 150;
const cidReference = /cid:([^"'\s)<>\\]{1,400})/gi;

type Needs = Pick<Context, "store" | "settings">;

/**
 * The HTML body of a message with its `cid:` references (RFC 2392) replaced by the images themselves as `data:` URLs, so
 * that showing it asks nobody for anything, and flattened to a depth that browsers bear. Nothing else is changed. Rejects with `not_found`, also where there is no
 * HTML.
 */
export async function showHtml(context: Needs, principal: Principal, idText: string): Promise<string> {
  const { html, attachments } = await getMessage(context, principal, idText);
  if (html.body === null) throw new Problem("not_found", { text: "This message has no HTML" });
  const wanted = new Set(Array.from(html.body.matchAll(cidReference), ([, reference = ""]) => contentIdOf(reference)));
  const images = await inlineImages(context, principal, namedBy(attachments, wanted));
  return flattenHtml(html.body, depthMax).replaceAll(cidReference, (written, reference: string) => {
    return images.get(contentIdOf(reference)) ?? written;
  });
}

function namedBy(attachments: readonly Attachment[], wanted: ReadonlySet<string>): readonly Attachment[] {
  return attachments.filter(({ contentId }) => contentId !== null && wanted.has(contentId));
}

async function inlineImages(
  context: Needs,
  principal: Principal,
  attachments: readonly Attachment[],
): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>();
  let budget = inlineBytesMax;
  for (const { id, contentId, length } of attachments) {
    if (contentId === null || urls.has(contentId) || length > budget) continue;
    const image = safeImage((await getAttachment(context, principal, id)).bytes);
    if (image === undefined) continue;
    budget -= length;
    urls.set(contentId, `data:${image.contentType};base64,${Buffer.from(image.bytes).toString("base64")}`);
  }
  return urls;
}

/** In URLs a Content-ID is percent-encoded; broken sequences are taken as they are. */
function contentIdOf(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
