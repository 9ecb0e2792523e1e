import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";

type Json = Readonly<Record<string, unknown>>;

/** Returns a request with a JSON body. */
export function mailjetRequest(line: `${ProviderMethod} ${string}`, value: unknown, key: string): ProviderRequest {
  const [method, path] = line.split(" ") as [ProviderMethod, string];
  return { ...jsonRequest(value), method, path, url: `http://localhost/providers/mailjet${path}`, key };
}

function mailboxOf({ name, address }: { readonly name: string; readonly address: string }): Json {
  return name === "" ? { Email: address } : { Email: address, Name: name };
}

function messageOf(mail: SampleEmail): Json {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments = [], tags, template } = mail;
  const files = (isInline: boolean): readonly Json[] =>
    attachments
      .filter(({ contentId }) => (contentId !== undefined) === isInline)
      .map(({ fileName, contentType, content, contentId }) => ({
        Filename: fileName,
        ContentType: contentType,
        Base64Content: Buffer.from(content).toString("base64"),
        ContentID: contentId,
      }));
  return {
    From: mailboxOf(from),
    To: to.map(mailboxOf),
    Cc: cc?.map(mailboxOf),
    Bcc: bcc?.map(mailboxOf),
    ReplyTo: replyTo === undefined ? undefined : mailboxOf(replyTo),
    Subject: subject,
    TextPart: text,
    HTMLPart: html,
    Headers: headers,
    Attachments: files(false),
    InlinedAttachments: files(true),
    CustomCampaign: tags?.[0],
    ...(template !== undefined && {
      TemplateID: Number(template.id),
      TemplateLanguage: true,
      Variables: template.data,
    }),
  };
}

function sendRequest(mails: readonly SampleEmail[], key: string): ProviderRequest {
  const isSandbox = mails.some(({ sandbox }) => sandbox === true);
  return mailjetRequest("POST /v3.1/send", { Messages: mails.map(messageOf), SandboxMode: isSandbox }, key);
}

interface Result {
  readonly Status: string;
  readonly To?: readonly { readonly MessageUUID: string }[];
  readonly Errors?: readonly { readonly ErrorCode: string }[];
}

/** Returns the results of the messages of a response. */
export function resultsOf(response: ProviderResponse): readonly Result[] {
  return (jsonOf(response)["Messages"] ?? []) as readonly Result[];
}

function errorOf(response: ProviderResponse): string | null {
  if (response.status < 400) return null;
  const { Errors: errors = [], ErrorCode: code, ErrorMessage: message } = jsonOf(response);
  const issues = [
    ...(errors as NonNullable<Result["Errors"]>),
    ...resultsOf(response).flatMap((one) => one.Errors ?? []),
  ];
  return issues[0]?.ErrorCode ?? String(code ?? message);
}

const mail = {
  From: { Email: "a@app.example" },
  To: [{ Email: "b@shop.example" }],
  Subject: "Hello",
  TextPart: "Hello",
};

function rejection(changes: Json, key: string): ProviderRequest {
  return mailjetRequest("POST /v3.1/send", { Messages: [{ ...mail, ...changes }] }, key);
}

const email: EmailSamples = {
  sendPath: "/v3.1/send",
  send: (one, { key }) => sendRequest([one], key),
  idsOf: (response) => resultsOf(response).map(({ To: to = [] }) => to[0]?.MessageUUID ?? ""),
  errorOf,
  rejected: (key) => ({
    "no sender": { request: rejection({ From: undefined }, key), error: "mj-0003" },
    "no recipient": { request: rejection({ To: undefined }, key), error: "mj-0003" },
    "an empty list of recipients": { request: rejection({ To: [] }, key), error: "mj-0007" },
    "an invalid recipient": { request: rejection({ To: [{ Email: "nobody" }] }, key), error: "mj-0013" },
    "a recipient that is a text": { request: rejection({ To: "b@shop.example" }, key), error: "mj-0004" },
    "an empty address": { request: rejection({ To: [{ Email: "" }] }, key), error: "mj-0012" },
    "no body": { request: rejection({ TextPart: undefined }, key), error: "send-0003" },
    "a long subject": { request: rejection({ Subject: "x".repeat(256) }, key), error: "mj-0006" },
    "an unknown tracking value": { request: rejection({ TrackOpens: "maybe" }, key), error: "mj-0005" },
    "a forbidden header": { request: rejection({ Headers: { "X-Mailer": "x" } }, key), error: "send-0011" },
    "deduplication without a campaign": { request: rejection({ DeduplicateCampaign: true }, key), error: "send-0012" },
    "error reporting without the template language": {
      request: rejection({ TemplateErrorDeliver: true }, key),
      error: "send-0016",
    },
    "invalid base64": {
      request: rejection({ Attachments: [{ Filename: "a", ContentType: "text/plain", Base64Content: "!" }] }, key),
      error: "mj-0004",
    },
    "too many recipients": {
      request: rejection({ To: Array.from({ length: 51 }, (_, at) => ({ Email: `r${at}@shop.example` })) }, key),
      error: "send-0015",
    },
    "invalid JSON or form": {
      request: { ...rejection({}, key), body: Buffer.from("{") },
      error: "mj-0002",
    },
    "no messages": { request: mailjetRequest("POST /v3.1/send", {}, key), error: "mj-0003" },
    "too many messages": {
      request: mailjetRequest("POST /v3.1/send", { Messages: Array.from({ length: 51 }, () => mail) }, key),
      error: "mj-0008",
    },
  }),
  templateId: "4711",
  storeTemplate: {
    steps: [
      ({ name }, { key }) => mailjetRequest("POST /v3/REST/template", { Name: name }, key),
      ({ subject, text, html }, { key, earlier }) => {
        const content = { Headers: { Subject: subject }, "Html-part": html, "Text-part": text };
        return mailjetRequest(`POST /v3/REST/template/${templateIdOf(earlier[0])}/detailcontent`, content, key);
      },
    ],
    idOf: ([response]) => templateIdOf(response),
  },
  batch: (mails, { key }) => ({ path: "/v3.1/send", request: sendRequest(mails, key) }),
  get: (providerId, { key }) => {
    const path = `/v3/REST/message/${providerId}`;
    const request = mailjetRequest(`GET ${path}`, {}, key);
    const fields = [["ShowSubject", "true"]] as const;
    return { method: "GET", path: "/v3/REST/message/:id", request: { ...request, fields } };
  },
};

function templateIdOf(response: ProviderResponse | undefined): string {
  const data = jsonOf(response ?? { status: 0, body: null })["Data"] as readonly { readonly ID: number }[] | undefined;
  return String(data?.[0]?.ID);
}

/** Requests in the format of Mailjet. */
export const samples: ProviderSamples = { email };
