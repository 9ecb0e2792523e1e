import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";
import type { ProviderResponse } from "../provider.ts";

const sendPath = "/gmail/v1/users/me/messages/send";
const authorization = "Bearer ya29.test";

type SampleMailbox = SampleEmail["from"];
type SampleFile = NonNullable<SampleEmail["attachments"]>[number];

const encoded = (text: string): string => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
const mailboxText = ({ name, address }: SampleMailbox): string =>
  name === "" ? address : `${encoded(name)} <${address}>`;
const listText = (mailboxes: readonly SampleMailbox[]): string => mailboxes.map(mailboxText).join(", ");

function part(contentType: string, content: Uint8Array, fields: readonly string[] = []): string {
  const lines = [`Content-Type: ${contentType}`, "Content-Transfer-Encoding: base64", ...fields, ""];
  return [...lines, Buffer.from(content).toString("base64").replaceAll(/.{76}/g, "$&\r\n")].join("\r\n");
}

function multipart(subtype: string, parts: readonly string[]): string {
  const boundary = `${subtype}-boundary`;
  const body = parts.map((one) => `--${boundary}\r\n${one}\r\n`).join("");
  return `Content-Type: multipart/${subtype}; boundary=${boundary}\r\n\r\n${body}--${boundary}--\r\n`;
}

function filePart({ fileName, contentType, content, contentId }: SampleFile): string {
  const name = `filename*=utf-8''${encodeURIComponent(fileName)}`;
  if (contentId === undefined) return part(contentType, content, [`Content-Disposition: attachment; ${name}`]);
  return part(contentType, content, [`Content-Disposition: inline; ${name}`, `Content-ID: <${contentId}>`]);
}

/** Returns a mail as applications give it to the API. */
export function rawMail(mail: SampleEmail): string {
  const { from, to, cc = [], bcc = [], replyTo, subject, text, html, headers = {}, attachments = [] } = mail;
  const lists = { From: [from], To: to, Cc: cc, Bcc: bcc, "Reply-To": [replyTo ?? []].flat() };
  const fields = [
    ...Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [] : [`${name}: ${listText(list)}`])),
    `Subject: ${encoded(subject)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "MIME-Version: 1.0",
  ];
  const texts = [
    ...(text === undefined ? [] : [part("text/plain; charset=utf-8", Buffer.from(text))]),
    ...(html === undefined ? [] : [part("text/html; charset=utf-8", Buffer.from(html))]),
  ];
  const body = texts.length === 1 ? (texts[0] ?? "") : multipart("alternative", texts);
  const whole = attachments.length === 0 ? body : multipart("mixed", [body, ...attachments.map(filePart)]);
  return `${fields.join("\r\n")}\r\n${whole}`;
}

const base64url = (raw: string): string => Buffer.from(raw).toString("base64url");
const valid = "From: a@app.example\r\nTo: zoe@shop.example\r\nSubject: Hello\r\n\r\nHello";

const email: EmailSamples = {
  sendPath,
  ownTags: ["SENT"],
  send: (mail, { key }) =>
    jsonRequest({ raw: base64url(rawMail(mail)) }, { key, path: sendPath, headers: { authorization } }),
  idsOf: (response) => {
    const ids = textOf(response).matchAll(/"id":"([0-9a-f]{32})"/g);
    return Array.from(ids, ([, id]) => id ?? "");
  },
  errorOf: (response) => {
    if (response.status < 300) return null;
    const { error, error_description: description } = jsonOf(response) as {
      error: string | { readonly message: string; readonly errors: readonly { readonly reason: string }[] };
      error_description?: string;
    };
    if (typeof error === "string") return `${error}: ${description ?? ""}`;
    return `${error.errors[0]?.reason ?? ""}: ${error.message}`;
  },
  withoutRejections: {
    "no sender": "the sender is the user of the mailbox",
    "no body": "a mail may be empty",
  },
  rejected: (key) => {
    const post = (value: unknown, error: string): ReturnType<EmailSamples["rejected"]>[string] => ({
      request: jsonRequest(value, { key, path: sendPath, headers: { authorization } }),
      error,
    });
    const mail = (raw: string, error: string): ReturnType<typeof post> => post({ raw: base64url(raw) }, error);
    const many = Array.from({ length: 501 }, (_, at) => `a${at}@shop.example`).join(",\r\n ");
    return {
      "no mail": post(
        {},
        "invalidArgument: 'raw' RFC822 payload message string or uploading message via /upload/* URL required",
      ),
      "no recipient": mail(valid.replace(/To: .*\r\n/, ""), "invalidArgument: Recipient address required"),
      "an invalid recipient": mail(valid.replace("zoe@shop.example", "zoe"), "invalidArgument: Invalid To header"),
      "an invalid copy": mail(`Cc: @x\r\n${valid}`, "invalidArgument: Invalid Cc header"),
      "invalid JSON or form": {
        request: jsonRequest("", { key, path: sendPath, headers: { authorization }, body: Buffer.from("{") }),
        error: "badRequest: Invalid JSON payload received. Unexpected token.",
      },
      "invalid base64": post({ raw: "?" }, "badRequest: Invalid value at 'raw' (TYPE_BYTES)"),
      "a member of another type": post({ raw: 1 }, "badRequest: Invalid value at 'raw' (TYPE_STRING)"),
      "too many recipients": mail(valid.replace("zoe@shop.example", many), "invalidArgument: Too many recipients"),
      "another user": {
        request: jsonRequest({}, { key, path: sendPath.replace("me", "ada"), headers: { authorization } }),
        error: "forbidden: Delegation denied for ada",
      },
    };
  },
  batch: (mails, { key }) => {
    const path = "/batch/gmail/v1";
    const parts = mails.map((mail, at) => {
      const json = JSON.stringify({ raw: base64url(rawMail(mail)) });
      const request = `POST ${sendPath}?alt=json HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${json}`;
      return `--b\r\nContent-Type: application/http\r\nContent-ID: <x + ${at}>\r\n\r\n${request}\r\n`;
    });
    const headers = { authorization, "content-type": "multipart/mixed; boundary=b" };
    const body = Buffer.from(`${parts.join("")}--b--\r\n`);
    return { path, request: jsonRequest("", { key, path, headers, body }) };
  },
  get: (id, { key }) => {
    const path = `/gmail/v1/users/me/messages/${id}`;
    return {
      method: "GET",
      path,
      request: jsonRequest("", { key, path, method: "GET", params: { id }, headers: { authorization } }),
    };
  },
};

function textOf({ body }: ProviderResponse): string {
  if (body === null) return "";
  return body.text ?? Buffer.from(body.bytes).toString("utf8");
}

/** Requests in the format of Gmail. */
export const samples: ProviderSamples = { email };
