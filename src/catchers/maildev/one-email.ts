/** Routes of one e-mail. */
import type { MessageId } from "../../core/ids.ts";
import { notFound } from "../../core/errors.ts";
import { type HttpResponse, jsonResponse } from "../../http/http-response.ts";
import { mailPageHeaders } from "../../http/web/mail-page.ts";
import { getAttachment, openMessage } from "../../operations/services/reading/get-message.ts";
import { releaseMessage } from "../../operations/messages/reply-to-message.ts";
import { bodyOf, contentOfStream, streamedJson } from "../json-stream.ts";
import { linkImages } from "../link-images.ts";
import { deleteMessages, markRead } from "../change-mailbox.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { readingContext, requireHead, requireId, requireMail } from "../received-message.ts";
import { downloadHeaders, fileResponse, plainHeaders, sendSource } from "../responses.ts";
import { rewriteText, slicesOf } from "../rewrite-text.ts";
import { generatedFileName, type Version } from "./email.ts";
import { emailSegments, readEmails } from "./read-emails.ts";

/** Response to a change. */
export const done: HttpResponse = jsonResponse(true);

/** Returns an error with a text. */
export function failure(status: number, error: string): HttpResponse {
  return { ...jsonResponse({ error }), status };
}

/** Routes of one e-mail: its members, contents, deletion, and relaying as it was received, to verified recipients. */
export function emailRoutes(prefix: string, version: Version): readonly CatcherRoute[] {
  const path = `${prefix}/email/:id` as const;
  return [
    ...catcherRoutes("read", {
      [`GET ${path}`]: async (call) => {
        const id = await requireExisting(call);
        const { value } = await readEmails(call, [id], version).next();
        if (value === undefined) throw notFound("Message");
        if (value.email["read"] !== true) await markRead(call, id);
        return streamedJson(emailSegments({ ...value, email: { ...value.email, read: true } }));
      },
      [`GET ${path}/html`]: async (call) => showHtml(call, `//${call.headers.host ?? ""}${prefix}/email`, version),
      [`GET ${path}/attachment/:name`]: sendAttachment,
      [`GET ${path}/source`]: async (call) =>
        sendSource(call, await requireMail(call, requireId(call)), { headers: plainHeaders }),
      [`GET ${path}/download`]: async (call) => {
        const id = requireId(call);
        return sendSource(call, await requireMail(call, id), { headers: downloadHeaders(id) });
      },
    }),
    ...catcherRoutes("manage", {
      [`DELETE ${path}`]: async (call) => {
        await deleteMessages(call, [await requireExisting(call)]);
        return done;
      },
    }),
    ...catcherRoutes("send", { [`POST ${path}/relay`]: relay, [`POST ${path}/relay/:recipient`]: relay }),
  ];
}

/** Returns the id of the path. Rejects with `not_found` when the server has no such message. */
async function requireExisting(call: CatcherCall): Promise<MessageId> {
  const id = requireId(call);
  if ((await call.context.store.getDetail(id)) === undefined) throw notFound("Message");
  return id;
}

async function relay(call: CatcherCall): Promise<HttpResponse> {
  const id = await requireExisting(call);
  const { recipient } = call.params;
  const own = recipient === undefined ? (await requireHead(call, id)).detail.message.metadata.rcptTo : [];
  const to = recipient === undefined ? own.flatMap(({ email }) => email ?? []) : [recipient];
  await releaseMessage(readingContext(call), call.principal, { id, to, repeatKey: null });
  return done;
}

/** Shows the HTML with the addresses of its inline images; scripts, forms and connections are switched off. */
async function showHtml(call: CatcherCall, base: string, version: Version): Promise<HttpResponse> {
  const opened = await openMessage(readingContext(call), call.principal, requireId(call));
  const { message } = opened;
  const html = bodyOf(opened, "html");
  if (html === null && version === 3) return failure(404, "Email has no HTML content");
  const addresses = new Map<string, string>();
  for (const attachment of message.attachments) {
    const address = `${base}/${message.id}/attachment/${generatedFileName(attachment)}`;
    if (attachment.contentId !== null) addresses.set(attachment.contentId.toLowerCase(), address);
  }
  const headers = mailPageHeaders({ isRemoteAllowed: false, isDark: false });
  const shown = rewriteText(slicesOf(html ?? new Uint8Array()), linkImages(addresses));
  return { status: 200, headers, ...(await contentOfStream(shown, html?.byteLength ?? 0)) };
}

async function sendAttachment(call: CatcherCall): Promise<HttpResponse> {
  const { name = "" } = call.params;
  const { attachments } = (await requireHead(call, requireId(call))).detail.message;
  const found =
    attachments.find((attachment) => generatedFileName(attachment) === name) ??
    attachments.find(({ fileName }) => fileName === name);
  if (found === undefined) return failure(404, "File not found");
  const { bytes } = await getAttachment(readingContext(call), call.principal, found.id);
  return fileResponse(found.fileName, found.contentType, bytes);
}
