import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";

type Mailbox = SampleEmail["from"];
type Members = Readonly<Record<string, unknown>>;
const mailbox = ({ name, address }: Mailbox): string =>
  name === "" ? address : `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}" <${address}>`;
const list = (mailboxes: readonly Mailbox[]): string => mailboxes.map(mailbox).join(", ");

/** Returns a message in the format of the API. */
export function messageOf(mail: SampleEmail): Members {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments, tags, metadata, template } = mail;
  return {
    From: mailbox(from),
    To: list(to),
    ...(cc !== undefined && { Cc: list(cc) }),
    ...(bcc !== undefined && { Bcc: list(bcc) }),
    ...(replyTo !== undefined && { ReplyTo: mailbox(replyTo) }),
    ...(template === undefined
      ? { Subject: subject, TextBody: text, HtmlBody: html }
      : { TemplateId: Number(template.id), TemplateModel: template.data }),
    ...(headers !== undefined && { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) }),
    ...(attachments !== undefined && { Attachments: attachments.map(attachmentOf) }),
    ...(tags?.[0] !== undefined && { Tag: tags[0] }),
    ...(metadata !== undefined && { Metadata: metadata }),
  };
}

function attachmentOf({
  fileName,
  contentType,
  content,
  contentId,
}: NonNullable<SampleEmail["attachments"]>[number]): Members {
  return {
    Name: fileName,
    Content: Buffer.from(content).toString("base64"),
    ContentType: contentType,
    ...(contentId !== undefined && { ContentID: `cid:${contentId}` }),
  };
}

/** Returns a request of the API; `line` is the method and the path. */
export function apiRequest(line: string, value: unknown, key: string | null): ProviderRequest {
  const [method, path] = line.split(" ") as [ProviderMethod, string];
  const headers = key === null ? {} : { "x-postmark-server-token": key };
  return jsonRequest(value, { method, path, url: `http://localhost/providers/postmark${path}`, headers, key });
}

function errorOf({ status, body }: ProviderResponse): string | null {
  const { ErrorCode, Message } = JSON.parse(body?.text ?? "{}") as Members;
  return status < 400 ? null : `${String(ErrorCode)} ${String(Message)}`;
}

function idsOf({ body }: ProviderResponse): readonly string[] {
  const value = JSON.parse(body?.text ?? "{}") as Members | readonly Members[];
  const messages = (Array.isArray(value) ? value : [value]) as readonly Members[];
  return messages.flatMap(({ MessageID }) => (typeof MessageID === "string" ? [MessageID] : []));
}

const email: EmailSamples = {
  sendPath: "/email",
  send: (mail, { key }) => {
    const line = mail.template === undefined ? "POST /email" : "POST /email/withTemplate";
    return apiRequest(line, messageOf(mail), mail.sandbox === true ? "POSTMARK_API_TEST" : key);
  },
  idsOf,
  errorOf,
  rejected: (key) => {
    const valid = { From: "sender@app.example", To: "zoe@shop.example", Subject: "Hello", TextBody: "Hello" };
    const changed = (changes: Members, error: string) => ({
      request: apiRequest("POST /email", { ...valid, ...changes }, key),
      error,
    });
    const many = Array.from({ length: 51 }, (_, at) => `a${at}@shop.example`).join(",");
    return {
      "no sender": changed({ From: "" }, "300 Invalid 'From' address: ''."),
      "no recipient": changed({ To: null }, "300 Invalid 'To' address: ''."),
      "an invalid recipient": changed({ To: "nobody" }, "300 Invalid 'To' address: 'nobody'."),
      "no body": changed({ TextBody: undefined }, "300 Provide either email TextBody or HtmlBody or both."),
      "invalid JSON or form": {
        request: { ...apiRequest("POST /email", null, key), body: Buffer.from("{") },
        error: "402 Invalid JSON",
      },
      "invalid base64": changed(
        { Attachments: [{ Name: "a.txt", Content: "not base64!", ContentType: "text/plain" }] },
        "403 Invalid request field(s): 'Attachments'.",
      ),
      "too many recipients": changed({ To: many }, "300 Maximum of 50 recipients allowed per email message."),
    };
  },
  storeTemplate: {
    steps: [
      ({ name, subject, text, html }, { key }) =>
        apiRequest("POST /templates", { Name: name, Subject: subject, TextBody: text, HtmlBody: html }, key),
    ],
    idOf: ([created]) => String(created === undefined ? "" : jsonOf(created)["TemplateId"]),
  },
  batch: (mails, { key }) => ({
    path: "/email/batch",
    request: apiRequest("POST /email/batch", mails.map(messageOf), key),
  }),
  get: (providerId, { key }) => ({
    method: "GET",
    path: "/messages/outbound/:id/details",
    request: { ...apiRequest(`GET /messages/outbound/${providerId}/details`, null, key), body: new Uint8Array() },
  }),
};

/** Requests in the format of Postmark. */
export const samples: ProviderSamples = { email };
