import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";
import type { ProviderResponse } from "../provider.ts";

const path = "/v1.0/me/sendMail";
const recipient = ({ name, address }: SampleEmail["from"]) => ({ emailAddress: { name, address } });

function messageOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, to, cc, bcc, replyTo, subject, text = "", html, headers, attachments, tags, sendAt } = mail;
  return {
    subject,
    from: recipient(from),
    toRecipients: to.map(recipient),
    ...(cc !== undefined && { ccRecipients: cc.map(recipient) }),
    ...(bcc !== undefined && { bccRecipients: bcc.map(recipient) }),
    ...(replyTo !== undefined && { replyTo: [recipient(replyTo)] }),
    body: html === undefined ? { contentType: "text", content: text } : { contentType: "HTML", content: html },
    ...(headers !== undefined && {
      internetMessageHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    }),
    ...(attachments !== undefined && {
      attachments: attachments.map(({ fileName, contentType, content, contentId }) => ({
        "@odata.type": "#microsoft.graph.fileAttachment",
        name: fileName,
        contentType,
        contentBytes: Buffer.from(content).toString("base64"),
        ...(contentId !== undefined && { contentId, isInline: true }),
      })),
    }),
    ...(tags !== undefined && { categories: tags }),
    ...(sendAt !== undefined && {
      singleValueExtendedProperties: [{ id: "SystemTime 0x3FEF", value: new Date(sendAt).toISOString() }],
    }),
  };
}

const valid = { subject: "Hello", toRecipients: [recipient({ name: "", address: "zoe@shop.example" })] };
const acceptedId = ({ headers = {} }: Pick<ProviderResponse, "headers">): string =>
  headers["x-restante-message-id"] ?? "";

const email: EmailSamples = {
  sendPath: path,
  hasOneBody: true,
  send: (mail, { key }) => jsonRequest({ message: messageOf(mail), saveToSentItems: false }, { key, path }),
  idsOf: (response) => {
    if (response.body === null) return [acceptedId(response)];
    const { responses = [] } = jsonOf(response) as { responses?: readonly ProviderResponse[] };
    return responses.map(acceptedId);
  },
  errorOf: (response) => {
    if (response.status < 300) return null;
    const { error, error_description: description } = jsonOf(response);
    if (typeof error === "string") return `${error}: ${String(description)}`;
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  },
  withoutRejections: {
    "no sender": "the user of the mailbox is the sender",
    "no body": "a mail may have no body",
  },
  rejected: (key) => {
    const post = (message: unknown, error: string): ReturnType<EmailSamples["rejected"]>[string] => ({
      request: jsonRequest({ message }, { key, path }),
      error,
    });
    const invalid = "ErrorInvalidRecipients: At least one recipient isn't valid.,";
    return {
      "no recipient": post(
        { ...valid, toRecipients: [] },
        `${invalid} A message can't be sent because it contains no recipients.`,
      ),
      "an invalid recipient": post(
        { ...valid, toRecipients: [recipient({ name: "", address: "x" })] },
        `${invalid} Recipient 'x' isn't resolved. All recipients must be resolved before a message can be submitted.`,
      ),
      "an invalid sender": post(
        { ...valid, from: recipient({ name: "", address: "App" }) },
        "ErrorInvalidProperty: The address 'App' is invalid.",
      ),
      "invalid JSON or form": {
        request: jsonRequest("", { key, path, body: Buffer.from("{") }),
        error:
          "BadRequest: Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.",
      },
      "invalid base64": post(
        { ...valid, attachments: [{ name: "a", contentBytes: "?" }] },
        "BadRequest: Cannot convert the literal of contentBytes to the expected type 'Edm.Binary'.",
      ),
      "too many recipients": post(
        {
          ...valid,
          toRecipients: Array.from({ length: 501 }, (_, at) =>
            recipient({ name: "", address: `a${String(at)}@shop.example` }),
          ),
        },
        `${invalid} More than 500 recipients.`,
      ),
      "a header field of the service": post(
        { ...valid, internetMessageHeaders: [{ name: "Subject", value: "x" }] },
        "InvalidInternetMessageHeader: The internet message header name 'Subject' should start with 'x-' or 'X-'.",
      ),
      "a mail without a message": {
        request: jsonRequest({}, { key, path }),
        error: "ErrorInvalidParameter: The required parameter Message is missing.",
      },
      "a category that is no tag": post(
        { ...valid, categories: ["a,b"] },
        "ErrorInvalidProperty: A category is invalid, or there are too many.",
      ),
      "an attachment that is no file": post(
        { ...valid, attachments: [{ "@odata.type": "#microsoft.graph.itemAttachment", name: "a" }] },
        "ErrorInvalidParameter: Attachments of the type #microsoft.graph.itemAttachment are not supported.",
      ),
      "MIME that is not in base64": {
        request: jsonRequest("", { key, path, headers: { "content-type": "text/plain" }, body: Buffer.from("?") }),
        error: "ErrorMimeContentInvalidBase64String: Invalid base64 string for MIME content.",
      },
    };
  },
  batch: (mails, { key }) => {
    const own = "/v1.0/$batch";
    const requests = mails.map((mail, at) => ({
      id: String(at),
      method: "POST",
      url: "/me/sendMail",
      headers: { "Content-Type": "application/json" },
      body: { message: messageOf(mail), saveToSentItems: false },
    }));
    return { path: own, request: jsonRequest({ requests }, { key, path: own, url: `http://localhost${own}` }) };
  },
  get: (id, { key }) => {
    const own = `/v1.0/me/messages/${id}`;
    return { method: "GET", path: own, request: jsonRequest({}, { key, path: own, method: "GET", params: { id } }) };
  },
};

/** Requests in the format of Microsoft Graph. */
export const samples: ProviderSamples = { email };
