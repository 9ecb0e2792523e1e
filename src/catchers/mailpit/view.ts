import type { HttpResponse } from "../../http/http-response.ts";
import { mailPageHeaders } from "../../http/web/mail-page.ts";
import { Problem } from "../../core/errors.ts";
import { getAttachment } from "../../operations/services/reading/get-message.ts";
import type { DescribedAttachment } from "../../operations/messages/get-transcript.ts";
import { inlineBytesMax, linkImages } from "../link-images.ts";
import { contentOfStream } from "../json-stream.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { readingContext } from "../received-message.ts";
import { plainResponse, redirect } from "../responses.ts";
import { type Replacement, rewriteText } from "../rewrite-text.ts";
import { type MailpitMessage, openMailpitMessage, resolveId } from "./get-message.ts";
import { streamed } from "./shapes.ts";

/** Pages that show the body of a message. */
export const viewRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /view/:page": async (call) => {
    const { page = "" } = call.params;
    const [, id = "", form] = /^(.*?)(?:\.(html|txt))?$/.exec(page) ?? [];
    const named = { ...call, params: { id } };
    if (form === undefined) return redirectToView(named);
    const message = await orNull(resolveId(named).then(async (one) => openMailpitMessage(named, one)));
    if (message === null) return plainResponse(404, "Message not found");
    const { text, html } = message;
    if (form === "txt") {
      return streamed(text.slices(), { contentType: "text/plain; charset=utf-8", sizeBytes: text.sizeBytes });
    }
    if (html.sizeBytes === 0) return plainResponse(404, "This message does not contain a HTML part");
    return showHtml(named, message);
  },
});

/** Resolves as `value` does; to null when there is no such message. */
async function orNull<Value>(value: Promise<Value>): Promise<Value | null> {
  return value.catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return null;
    throw error;
  });
}

/** Redirects `latest` to the newest message, and a message to the web UI of the service. */
async function redirectToView(call: CatcherCall): Promise<HttpResponse> {
  if (call.params["id"] !== "latest") return redirect(`${call.context.settings.publicUrl()}/`);
  const id = await orNull(resolveId(call));
  return redirect(id === null ? "/" : `/view/${id}`);
}

/**
 * Shows the HTML as it was received, apart from the references to inline images. Scripts, forms and connections are
 * switched off by the header fields, and the page has an origin of its own. Tests that fetch the page get the addresses of the
 * images, as from Mailpit; browsers get the images themselves, since the page may not load them.
 */
async function showHtml(call: CatcherCall, { fields, html, files }: MailpitMessage): Promise<HttpResponse> {
  const isPage = ["document", "iframe", "frame"].includes(String(call.headers["sec-fetch-dest"]));
  const addresses = new Map<string, string>();
  let budget = inlineBytesMax;
  for (const file of files.attachments) {
    if (file.contentId === null) continue;
    if (isPage && (file.length > budget || !file.contentType.startsWith("image/"))) continue;
    budget -= isPage ? file.length : 0;
    const address = isPage ? await dataUrl(call, file) : `/api/v1/message/${String(fields["ID"])}/part/${file.partId}`;
    addresses.set(file.contentId.toLowerCase(), address);
  }
  const linked = rewriteText(html.slices(), linkImages(addresses));
  const shown = call.query.get("embed") === "1" ? openLinksApart(linked, endsBody(html)) : linked;
  const headers = mailPageHeaders({ isRemoteAllowed: false, isDark: false });
  return { status: 200, headers, ...(await contentOfStream(shown, html.sizeBytes)) };
}

async function dataUrl(call: CatcherCall, { id, contentType }: DescribedAttachment): Promise<string> {
  const { bytes } = await getAttachment(readingContext(call), call.principal, id);
  const type = /^image\/[\w.+-]+/.exec(contentType)?.[0] ?? "image/png";
  return `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`;
}

/** Links that open in new tabs; the first of two attributes of the same name counts. */
const apart: Replacement = {
  pattern: /<a(?=[\t\n\f\r >])/gi,
  lengthMax: 3,
  replace: () => '<a target="_blank" rel="noreferrer noopener"',
};

/** Lets links open in new tabs, and puts HTML that does not end its body into a page. */
function* openLinksApart(html: Iterable<Buffer>, isPage: boolean): Generator<Buffer, void> {
  if (!isPage) yield Buffer.from("<html><head></head><body>");
  yield* rewriteText(html, apart);
  if (!isPage) yield Buffer.from("</body></html>");
}

/** Returns whether HTML has an end tag of its body. */
function endsBody({ slices }: MailpitMessage["html"]): boolean {
  let isEnded = false;
  const found: Replacement = {
    pattern: /<\/body>/gi,
    lengthMax: 7,
    replace: () => {
      isEnded = true;
      return "";
    },
  };
  for (const _ of rewriteText(slices(), found)) if (isEnded) return true;
  return isEnded;
}
