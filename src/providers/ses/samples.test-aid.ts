import {
  formRequest,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";
import type { FormFields } from "../../core/read-form.ts";
import type { ProviderRequest, ProviderResponse } from "../provider.ts";

const sendPath = "/v2/email/outbound-emails";
const bulkPath = "/v2/email/outbound-bulk-emails";

/** Returns the headers of a request that is signed with a key. */
export function signedBy(key: string): Readonly<Record<string, string>> {
  const credential = `${key}/20261120/us-east-1/ses/aws4_request`;
  return { authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=00` };
}

/** Returns a request to version 2. */
export function restRequest(line: string, value: unknown, key: string): ProviderRequest {
  const [method, path] = line.split(" ") as [ProviderRequest["method"], string];
  return jsonRequest(value, { method, path, key, headers: signedBy(key) });
}

/** Returns a request to version 1. */
export function queryRequest(action: string, fields: FormFields, key: string): ProviderRequest {
  const all: FormFields = [["Action", action], ["Version", "2010-12-01"], ...fields];
  const headers = { ...signedBy(key), "content-type": "application/x-www-form-urlencoded" };
  // The route reads no fields of bodies that may be mails.
  return { ...formRequest(all, { path: "/", key, headers }), form: [], fields: [] };
}

/** Returns the text of the first element with this name; null without one. */
export function elementOf({ body }: ProviderResponse, name: string): string | null {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(body?.text ?? "")?.[1] ?? null;
}

function mailboxText({ name, address }: SampleEmail["from"]): string {
  return name === "" ? address : `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}" <${address}>`;
}

const destination = ({ to, cc = [], bcc = [] }: Pick<SampleEmail, "to" | "cc" | "bcc">) => ({
  ToAddresses: to.map(mailboxText),
  CcAddresses: cc.map(mailboxText),
  BccAddresses: bcc.map(mailboxText),
});
const part = (text: string | undefined) => (text === undefined ? undefined : { Data: text, Charset: "UTF-8" });
const pairs = (record: Readonly<Record<string, string>> = {}) =>
  Object.entries(record).map(([Name, Value]) => ({ Name, Value }));

function simpleOf({ subject, text, html, headers, attachments = [] }: SampleEmail) {
  return {
    Subject: part(subject),
    Body: { Text: part(text), Html: part(html) },
    Headers: pairs(headers),
    Attachments: attachments.map(({ fileName, contentType, content, contentId }) => ({
      FileName: fileName,
      ContentType: contentType,
      RawContent: Buffer.from(content).toString("base64"),
      ContentDisposition: contentId === undefined ? "ATTACHMENT" : "INLINE",
      ...(contentId !== undefined && { ContentId: contentId }),
    })),
  };
}

function bodyOf(mail: SampleEmail) {
  const { template } = mail;
  return {
    FromEmailAddress: mailboxText(mail.from),
    Destination: destination(mail),
    ReplyToAddresses: mail.replyTo === undefined ? [] : [mailboxText(mail.replyTo)],
    EmailTags: pairs(mail.metadata),
    Content:
      template === undefined
        ? { Simple: simpleOf(mail) }
        : { Template: { TemplateName: template.id, TemplateData: JSON.stringify(template.data) } },
  };
}

const valid = {
  FromEmailAddress: "sender@app.example",
  Destination: { ToAddresses: ["zoe@shop.example"] },
  Content: { Simple: { Subject: { Data: "Hello" }, Body: { Text: { Data: "Hello" } } } },
};

function rejectedSend(key: string, changes: object, error = "BadRequestException") {
  return { request: restRequest(`POST ${sendPath}`, { ...valid, ...changes }, key), error };
}

const email: EmailSamples = {
  sendPath,
  send: (mail, { key }) => restRequest(`POST ${sendPath}`, bodyOf(mail), key),
  idsOf: ({ body }) => Array.from((body?.text ?? "").matchAll(/"MessageId":"([^"]*)"/g), ([, id = ""]) => id),
  errorOf: (response) => {
    if (response.status < 400) return null;
    return response.headers?.["x-amzn-errortype"] ?? elementOf(response, "Code");
  },
  rejected: (key) => ({
    "no sender": rejectedSend(key, { FromEmailAddress: undefined }),
    "no recipient": rejectedSend(key, { Destination: {} }),
    "an invalid recipient": rejectedSend(key, { Destination: { ToAddresses: ["nobody"] } }),
    "no body": rejectedSend(key, { Content: { Simple: { Subject: { Data: "Hello" }, Body: {} } } }),
    "no content": rejectedSend(key, { Content: undefined }),
    "invalid JSON or form": {
      request: { ...restRequest(`POST ${sendPath}`, {}, key), body: Buffer.from('{"Content":') },
      error: "SerializationException",
    },
    "a member of the wrong type": rejectedSend(key, { Destination: "zoe@shop.example" }, "SerializationException"),
    "invalid base64": rejectedSend(key, { Content: { Raw: { Data: "no base64!" } } }, "SerializationException"),
    "too many recipients": rejectedSend(key, {
      Destination: { ToAddresses: Array.from({ length: 51 }, (_, at) => `user${String(at)}@shop.example`) },
    }),
    "a template that is not stored": rejectedSend(
      key,
      { Content: { Template: { TemplateName: "missing", TemplateData: "{}" } } },
      "NotFoundException",
    ),
    "invalid template data": rejectedSend(key, {
      Content: { Template: { TemplateContent: { Subject: "Hello", Text: "Hello" }, TemplateData: "{" } },
    }),
    "a sender that cannot be verified": rejectedSend(key, { FromEmailAddress: "invalid@invalid" }, "MessageRejected"),
    "invalid tags": rejectedSend(key, { EmailTags: [{ Name: "a b", Value: "c" }] }),
    "an invalid header field": rejectedSend(key, {
      Content: { Simple: { ...valid.Content.Simple, Headers: [{ Name: "X-A", Value: "a\r\nBcc: b@c.example" }] } },
    }),
    "an unknown action of version 1": { request: queryRequest("Nothing", [], key), error: "InvalidAction" },
    "no destination in version 1": {
      request: queryRequest("SendEmail", [["Source", "a@b.example"]], key),
      error: "ValidationError",
    },
  }),
  storeTemplate: {
    steps: [
      ({ name, subject, text, html }, { key }) =>
        restRequest(
          "POST /v2/email/templates",
          { TemplateName: name, TemplateContent: { Subject: subject, Text: text, Html: html } },
          key,
        ),
    ],
    idOf: () => "welcome",
  },
  batch: (mails, { key }) => {
    const [first] = mails;
    const value = {
      FromEmailAddress: mailboxText(first?.from ?? { name: "", address: "" }),
      DefaultContent: {
        Template: { TemplateContent: { Subject: first?.subject, Text: first?.text }, TemplateData: "{}" },
      },
      BulkEmailEntries: mails.map((mail) => ({ Destination: destination(mail) })),
    };
    return { path: bulkPath, request: restRequest(`POST ${bulkPath}`, value, key) };
  },
};

/** Requests in the format of Amazon SES. */
export const samples: ProviderSamples = { email };
