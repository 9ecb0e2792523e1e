import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { jsonResponse } from "../../http/http-response.ts";
import type { Mailbox } from "../../mime/compose/address-field.ts";
import { type ComposedAttachment, composeMail } from "../../mime/compose/compose.ts";
import { parseEmailAddress } from "../../mime/email-address.ts";
import { receiveEmail } from "../../operations/inbound/receive-email.ts";
import { requestWaitMsMax } from "../../operations/services/limits/mail-admission.ts";
import { domainOf, newStamp } from "../../operations/services/sending/new-mail.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes, detailOf } from "../catcher.ts";
import { changeMarks } from "../change-mailbox.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { badRequest, readBody, text, texts } from "../read-json.ts";
import { json } from "./shapes.ts";
import { cleanTags } from "./messages.ts";

/** Header fields that the members of the request determine, in lower case. */
const determined: ReadonlySet<string> = new Set(
  "to from cc bcc reply-to date subject content-type mime-version x-tags".split(" "),
);

const mailbox = build.object({ Name: text, Email: text });
const mailboxes = build.optional(build.array(mailbox));
const file = build.object({ Filename: text, Content: text, ContentType: text, ContentID: text });
const sendBody = build.object({
  From: build.optional(mailbox),
  To: mailboxes,
  Cc: mailboxes,
  Bcc: texts,
  ReplyTo: mailboxes,
  Subject: text,
  Text: text,
  HTML: text,
  Tags: texts,
  Headers: build.optional(build.record(build.string())),
  Attachments: build.optional(build.array(file)),
});
type SendBody = ValueOf<typeof sendBody>;

/** `POST /api/v1/send`: composes a mail, which the server receives. Nothing leaves the service. */
export const sendRoutes: readonly CatcherRoute[] = catcherRoutes("send", {
  "POST /api/v1/send": async (call) => {
    try {
      return json({ ID: await send(call) });
    } catch (error) {
      if (!(error instanceof Problem) || error.row.status !== 400) throw error;
      // As JSON, unlike the errors of the other endpoints.
      return { ...jsonResponse({ Error: detailOf(error) }), status: 400 };
    }
  },
});

async function send(call: CatcherCall): Promise<MessageId> {
  const { context, server } = call;
  const body = await readBody(call, sendBody, context.limits.contentBodyBytesMax);
  const { Subject: subject = "", Text: plain = "", HTML: html = "", Tags: given = [], Attachments: files = [] } = body;
  const { from, to, cc, bcc, replyTo } = readMailboxes(body);
  const tags = cleanTags(given);
  const custom = readHeaders(body, tags);
  const messageId = custom.find(([name]) => name.toLowerCase() === "message-id")?.[1];
  const raw = await composeMail({
    ...newStamp(context, domainOf(context, server)),
    ...(messageId !== undefined && { messageId: `<${messageId.replaceAll(/[<>\s]/g, "")}>` }),
    from,
    to,
    cc,
    replyTo,
    subject,
    text: plain === "" && html !== "" ? null : plain,
    html: html || null,
    attachments: files.map(readAttachment),
    custom,
    allows8bit: true,
    keepsLf: true,
  });
  const recipients = [...[...to, ...cc].map(({ address }) => address), ...bcc];
  const id = await receive(call, { mailFrom: from.address, recipients, raw });
  if (tags.length > 0) await changeMarks(call, [id], { addTags: tags });
  return id;
}

interface Envelope {
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  readonly raw: Uint8Array;
}

/** Stores a mail in the server, whatever its recipients. */
async function receive(call: CatcherCall, { mailFrom, recipients, raw }: Envelope): Promise<MessageId> {
  const { context, server, clientAddress } = call;
  if (raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
  await context.quotas.requireRoom(server, raw.byteLength);
  const release = await context.admission.admit(raw.byteLength, server, requestWaitMsMax);
  const user = userOf(call);
  try {
    const [id] = await receiveEmail(context, {
      mailFrom,
      recipients: recipients.map((address) => ({ address, server })),
      raw,
      session: {
        ehlo: null,
        clientAddress,
        protocol: "HTTP",
        tls: null,
        authenticatedAs: null,
        ...(user !== undefined && { auth: { user, mechanism: "PLAIN" } }),
      },
    });
    if (id === undefined) throw new Problem("recipient_unknown");
    return id;
  } finally {
    release?.();
  }
}

const userLengthMax = 320;

/** Returns the user of HTTP Basic; undefined without one, and for a key. */
function userOf({ headers, principal }: CatcherCall): string | undefined {
  const [, credentials] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "") ?? [];
  if (credentials === undefined) return undefined;
  const [user = "", password = ""] = Buffer.from(credentials, "base64").toString("utf8").split(":", 2);
  const isKey = password === "" && !principal.keyId.startsWith("loopback");
  return user === "" || isKey ? undefined : user.slice(0, userLengthMax);
}

type MailboxFields = Readonly<Record<"to" | "cc" | "replyTo", readonly Mailbox[]>> & {
  readonly from: Mailbox;
  readonly bcc: readonly string[];
};

function readMailboxes({ From: from = {}, To, Cc, Bcc = [], ReplyTo }: SendBody): MailboxFields {
  const { Name: name = "", Email: address = "" } = from;
  if (address === "") throw badRequest("error building message: from not set");
  const listOf = (label: string, mailboxes: SendBody["To"] = []): readonly Mailbox[] =>
    mailboxes.map((one) => ({ name: one.Name ?? "", address: checkAddress(label, one.Email ?? "") }));
  const to = listOf("To", To);
  const cc = listOf("Cc", Cc);
  const bcc = Bcc.map((one) => checkAddress("Bcc", one));
  if (to.length + cc.length + bcc.length === 0) {
    throw badRequest("error building message: no recipients (to, cc, bcc) set");
  }
  return { from: { name, address: checkAddress("From", address) }, to, cc, bcc, replyTo: listOf("Reply-To", ReplyTo) };
}

/** Returns a plain address. Throws a 400 that names the field. */
function checkAddress(field: string, address: string): string {
  if (parseEmailAddress(address) === undefined) throw badRequest(`invalid ${field} address: ${address}`);
  return address;
}

/** Returns the custom header fields, after one with the tags. Throws a 400 for names that other members determine, and for invalid ones. */
function readHeaders(
  { Headers: given = {} }: SendBody,
  tags: readonly string[],
): readonly (readonly [string, string])[] {
  const fields = Object.entries(given);
  for (const [name] of fields) {
    if (!/^[!-9;-~]{1,200}$/.test(name)) throw badRequest(`invalid header name: "${name}"`);
    if (determined.has(name.toLowerCase())) throw badRequest(`cannot overwrite header: "${name}"`);
  }
  return tags.length === 0 ? fields : [["X-Tags", tags.join(", ")], ...fields];
}

function readAttachment({
  Filename: fileName = "",
  Content: encoded = "",
  ContentType: contentType = "",
  ContentID: contentId = "",
}: NonNullable<SendBody["Attachments"]>[number]): ComposedAttachment {
  // A data URL has the content after its comma.
  const base64 = (encoded.split(",").at(-1) ?? "").replaceAll(/\s+/g, "");
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw badRequest(`error decoding base64 attachment "${fileName}": illegal base64 data`);
  }
  const content = Buffer.from(base64, "base64");
  return {
    fileName,
    contentType: contentType || contentTypeOf(content),
    content,
    ...(contentId !== "" && { contentId, isInline: true }),
  };
}

/** First bytes of common types (WHATWG MIME Sniffing §6), as Latin-1. */
const signatures: readonly (readonly [start: string, type: string])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["BM", "image/bmp"],
  ["%PDF-", "application/pdf"],
  ["PK\x03\x04", "application/zip"],
  ["\x1f\x8b\x08", "application/x-gzip"],
  ["OggS\0", "application/ogg"],
  ["ID3", "audio/mpeg"],
];
const sniffedBytes = 512;

/** Returns the type of a file by its first bytes, as Go's `http.DetectContentType` does for common ones. */
function contentTypeOf(content: Uint8Array): string {
  const start = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, sniffedBytes));
  const text = start.toString("latin1");
  const known = signatures.find(([signature]) => text.startsWith(signature));
  if (known !== undefined) return known[1];
  if (text.startsWith("RIFF") && text.slice(8, 14) === "WEBPVP") return "image/webp";
  if (/^\s*<(?:!doctype html|html|head|body|script|table|p|br|div|h1)[\s>]/i.test(text))
    return "text/html; charset=utf-8";
  // Control characters that are no text: 0x00 to 0x08, 0x0B, 0x0E to 0x1A, 0x1C to 0x1F.
  const isBinary = start.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
  return isBinary ? "application/octet-stream" : "text/plain; charset=utf-8";
}
