import type { FormFields } from "../../core/read-form.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";
import { mailgunUuidOf } from "./response.ts";
import { uuidToBase64url } from "../formats/uuid.ts";

const domain = "mg.app.example";
const boundary = "boundary-of-samples";

/** File of a multipart form. */
export interface SampleFile {
  readonly name: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** Returns a multipart request below `/v3/<domain>`. */
export function multipartRequest(
  line: `${ProviderMethod} ${string}`,
  {
    fields = [],
    files = [],
    key,
  }: { readonly fields?: FormFields; readonly files?: readonly SampleFile[]; readonly key: string },
): ProviderRequest {
  const [method, path] = line.split(" ") as [ProviderMethod, string];
  const quoted = (text: string): string => text.replaceAll('"', "%22");
  const parts = [
    ...fields.map(
      ([name, value]) => [`Content-Disposition: form-data; name="${quoted(name)}"`, Buffer.from(value)] as const,
    ),
    ...files.map(
      ({ name, fileName, contentType, content }) =>
        [
          `Content-Disposition: form-data; name="${name}"; filename="${quoted(fileName)}"\r\nContent-Type: ${contentType}`,
          content,
        ] as const,
    ),
  ];
  const body = Buffer.concat([
    ...parts.flatMap(([header, content]) => [
      Buffer.from(`--${boundary}\r\n${header}\r\n\r\n`),
      content,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const fullPath = `/v3/${domain}${path}`;
  return { ...jsonRequest({}), method, path: fullPath, url: `http://localhost${fullPath}`, headers, body, key };
}

function mailboxText({ name, address }: { readonly name: string; readonly address: string }): string {
  return name === "" ? address : `"${name.replaceAll('"', String.raw`\"`)}" <${address}>`;
}

function fieldsOf(mail: SampleEmail): FormFields {
  const { from, to, cc = [], bcc = [], replyTo, subject, text, html, headers = {}, tags = [], metadata = {} } = mail;
  const optional: readonly (readonly [string, string | undefined])[] = [
    ["text", text],
    ["html", html],
    ["h:Reply-To", replyTo === undefined ? undefined : mailboxText(replyTo)],
    ["o:deliverytime", mail.sendAt === undefined ? undefined : new Date(mail.sendAt).toUTCString()],
    ["o:testmode", mail.sandbox === true ? "yes" : undefined],
    ["template", mail.template?.id],
    ["t:variables", mail.template === undefined ? undefined : JSON.stringify(mail.template.data)],
  ];
  return [
    ["from", mailboxText(from)],
    ...to.map((one) => ["to", mailboxText(one)] as const),
    ...cc.map((one) => ["cc", mailboxText(one)] as const),
    ...bcc.map((one) => ["bcc", mailboxText(one)] as const),
    ["subject", subject],
    ...optional.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ...Object.entries(headers).map(([name, value]) => [`h:${name}`, value] as const),
    ...tags.map((tag) => ["o:tag", tag] as const),
    ...Object.entries(metadata).map(([name, value]) => [`v:${name}`, value] as const),
  ];
}

function filesOf({ attachments = [] }: SampleEmail): readonly SampleFile[] {
  return attachments.map(({ fileName, contentType, content, contentId }) => ({
    name: contentId === undefined ? "attachment" : "inline",
    fileName,
    contentType,
    content,
  }));
}

const mail: readonly (readonly [string, string])[] = [
  ["from", "a@app.example"],
  ["to", "b@shop.example"],
  ["subject", "Hello"],
  ["text", "Hello"],
];

function errorOf({ status, body }: ProviderResponse): string | null {
  if (status < 400) return null;
  if (body?.contentType.startsWith("text/plain") === true) return body.text ?? null;
  return String(jsonOf({ status, body })["message"]);
}

function rejection(changes: Readonly<Record<string, string | null>>, key: string): ProviderRequest {
  const kept = mail.filter(([name]) => !(name in changes));
  const added = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return multipartRequest("POST /messages", { fields: [...kept, ...added], key });
}

const email: EmailSamples = {
  sendPath: "/v3/:domain/messages",
  send: (one, { key }) => multipartRequest("POST /messages", { fields: fieldsOf(one), files: filesOf(one), key }),
  idsOf: (response) => [String(jsonOf(response)["id"])],
  errorOf,
  rejected: (key) => ({
    "no sender": { request: rejection({ from: null }, key), error: "from parameter is missing" },
    "no recipient": { request: rejection({ to: null }, key), error: "to parameter is missing" },
    "an invalid recipient": {
      request: rejection({ to: "nobody" }, key),
      error: "to parameter is not a valid address. please check documentation",
    },
    "an invalid sender": {
      request: rejection({ from: "nobody" }, key),
      error: "from parameter is not a valid address. please check documentation",
    },
    "no body": {
      request: rejection({ text: null }, key),
      error: "Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified",
    },
    "html and a template": {
      request: rejection({ html: "<p>", template: "welcome" }, key),
      error: "Only one parameters 'html' or 'template' is allowed",
    },
    "invalid JSON or form": {
      request: { ...rejection({}, key), body: Buffer.from("--") },
      error: "malformed multipart/form-data request",
    },
    "too many recipients": {
      request: rejection({ to: Array.from({ length: 1001 }, (_, at) => `r${at}@shop.example`).join(",") }, key),
      error: "Too many recipients, max is 1000",
    },
    "long options": {
      request: rejection({ "v:long": "x".repeat(16 * 1024) }, key),
      error: "Send options (parameters starting with o:, h:, or v:) are limited to 16KB total",
    },
    "an invalid delivery time": {
      request: rejection({ "o:deliverytime": "tomorrow" }, key),
      error: "tomorrow is not an RFC-2822 compliant date",
    },
    "invalid recipient variables": {
      request: rejection({ "recipient-variables": "{" }, key),
      error: "'recipient-variables' parameter is not a valid JSON",
    },
    "a header name that is not ASCII": {
      request: rejection({ "h:X-Größe": "1" }, key),
      error: "Header name must be pure ASCII: X-Größe",
    },
    "an invalid domain": {
      request: { ...rejection({}, key), path: "/v3/not%20a%20domain/messages" },
      error: "Domain not found: not a domain",
    },
  }),
  withoutRejections: { "invalid base64": "attachments are files of a form" },
  storeTemplate: {
    isHtmlOnly: true,
    steps: [
      ({ name, html }, { key }) =>
        multipartRequest("POST /templates", { fields: Object.entries({ name, template: html }), key }),
    ],
    idOf: ([response]) => (jsonOf(response ?? { status: 0, body: null })["template"] as { readonly name: string }).name,
  },
  batch: (mails, { key }) => {
    const [first] = mails;
    const fields = first === undefined ? [] : fieldsOf(first).filter(([name]) => name !== "to");
    const to = mails.flatMap((one) => one.to.map((mailbox) => ["to", mailboxText(mailbox)] as const));
    return {
      path: "/v3/:domain/messages",
      request: multipartRequest("POST /messages", { fields: [...fields, ...to, ["recipient-variables", "{}"]], key }),
    };
  },
  get: (providerId, { key }) => {
    const path = `/v3/domains/${domain}/messages/${uuidToBase64url(mailgunUuidOf(providerId))}`;
    const request = { ...jsonRequest({}), method: "GET" as const, path, url: `http://localhost${path}`, key };
    return { method: "GET", path: "/v3/domains/:domain/messages/:key", request };
  },
};

/** Requests in the format of Mailgun. */
export const samples: ProviderSamples = { email };
