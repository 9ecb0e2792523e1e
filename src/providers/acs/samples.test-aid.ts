import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
  type SmsSamples,
} from "../conformance/samples.test-aid.ts";
import type { ProviderRequest, ProviderResponse } from "../provider.ts";

const path = "/emails:send";
const authorization = "HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=c2lnbmVk";

type Mailbox = SampleEmail["from"];
const mailbox = ({ name, address }: Mailbox): object => ({ address, ...(name !== "" && { displayName: name }) });

function bodyOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = mail;
  return {
    senderAddress: from.address,
    recipients: { to: to.map(mailbox), cc: cc?.map(mailbox), bcc: bcc?.map(mailbox) },
    replyTo: replyTo === undefined ? undefined : [mailbox(replyTo)],
    content: { subject, plainText: text, html },
    headers,
    attachments: attachments?.map(({ fileName, contentType, content, contentId }) => {
      const contentInBase64 = Buffer.from(content).toString("base64");
      return { name: fileName, contentType, contentInBase64, contentId };
    }),
  };
}

function errorOf(response: ProviderResponse): string | null {
  const { error } = jsonOf(response) as { readonly error?: { readonly code: string; readonly message: string } | null };
  return error === undefined || error === null ? null : `${error.code}: ${error.message}`;
}

const to = [{ address: "zoe@shop.example" }];
const content = { subject: "Hello", plainText: "Hello" };
const valid = { senderAddress: "a@app.example", recipients: { to }, content };
const file = { name: "a.txt", contentType: "text/plain", contentInBase64: "YQ==" };
const badAddress = "InvalidEmailAddress: Invalid format for email address";

const email: EmailSamples = {
  sendPath: path,
  send: (mail, { key }) => {
    const { idempotencyKey } = mail;
    const repeated = {
      "repeatability-request-id": idempotencyKey,
      "repeatability-first-sent": "Fri, 20 Nov 2026 10:42:07 GMT",
    };
    const headers = { authorization, ...(idempotencyKey !== undefined && repeated) };
    return jsonRequest(bodyOf(mail), { key, path, headers });
  },
  lacksSenderName: true,
  idsOf: (response) => [String(jsonOf(response)["id"])],
  errorOf,
  rejected: (key) => {
    const post = (value: unknown, error: string, own: ProviderRequest["headers"] = {}) => ({
      request: jsonRequest(value, { key, path, headers: { authorization, ...own } }),
      error,
    });
    const missing = (name: string): string => `BadRequest: The member ${name} is required.`;
    const badFile = "BadRequest: An attachment needs a name, a contentType and contentInBase64.";
    const unpaired = "BadRequest: The headers Repeatability-Request-ID and Repeatability-First-Sent need each other.";
    const first = { "repeatability-first-sent": "Fri, 20 Nov 2026 10:42:07 GMT" };
    return {
      "no sender": post({ ...valid, senderAddress: undefined }, missing("senderAddress")),
      "a sender with a name": post({ ...valid, senderAddress: "App <a@app.example>" }, badAddress),
      "no recipients": post({ ...valid, recipients: undefined }, missing("recipients")),
      "no recipient": post({ ...valid, recipients: { to: [] } }, missing("recipients.to")),
      "an invalid recipient": post({ ...valid, recipients: { to: [{ address: "x" }] } }, badAddress),
      "a recipient that is a text": post(
        { ...valid, recipients: { to: ["zoe@shop.example"] } },
        "BadRequest: The member to is not a valid array.",
      ),
      "no content": post({ ...valid, content: undefined }, missing("content")),
      "no subject": post({ ...valid, content: { plainText: "x" } }, missing("subject")),
      "no body": post({ ...valid, content: { subject: "x" } }, missing("content.plainText")),
      "invalid JSON or form": {
        request: jsonRequest("", { key, path, headers: { authorization }, body: Buffer.from("{") }),
        error: "BadRequest: The request body is not a valid JSON object.",
      },
      "invalid base64": post({ ...valid, attachments: [{ ...file, contentInBase64: "?" }] }, badFile),
      "an attachment without a name": post({ ...valid, attachments: [{ ...file, name: "" }] }, badFile),
      "two attachments with a contentId": post(
        {
          ...valid,
          attachments: [
            { ...file, contentId: "a" },
            { ...file, contentId: "a" },
          ],
        },
        "BadRequest: Two attachments have the same contentId.",
      ),
      "too many recipients": post(
        { ...valid, recipients: { bcc: Array.from({ length: 51 }, (_, at) => ({ address: `a${at}@shop.example` })) } },
        "BadRequest: The number of recipients exceeds 50.",
      ),
      "an operation id that is no UUID": post(valid, "BadRequest: The header Operation-Id is not a UUID.", {
        "operation-id": "order-4711",
      }),
      "a repeatability id without the date": post(valid, unpaired, { "repeatability-request-id": "a" }),
      "a date without a repeatability id": post(valid, unpaired, first),
      "an invalid repeatability id": post(valid, "BadRequest: The header Repeatability-Request-ID is not valid.", {
        ...first,
        "repeatability-request-id": "a".repeat(201),
      }),
      "an invalid repeatability date": post(valid, "BadRequest: The header Repeatability-First-Sent is not a date.", {
        "repeatability-request-id": "a",
        "repeatability-first-sent": "yesterday",
      }),
    };
  },
};

interface SmsResult {
  readonly messageId?: string;
  readonly errorMessage?: string;
  readonly successful: boolean;
}

const resultOf = (response: ProviderResponse): SmsResult | undefined =>
  (jsonOf(response) as { readonly value?: readonly SmsResult[] }).value?.[0];

const sms: SmsSamples = {
  sendPath: "/sms",
  send: ({ from, to: number, text }, { key, fields = {} }) => {
    const smsSendOptions = { enableDeliveryReport: true, ...fields };
    const value = { from, smsRecipients: [{ to: number }], message: text, smsSendOptions };
    return jsonRequest(value, { key, path: "/sms", headers: { authorization } });
  },
  furtherFields: { tag: "campaign-4711", deliveryReportTimeoutInSeconds: "300" },
  lacksCallbacks: true,
  acceptsUnsubscribed: true,
  idOf: (response) => resultOf(response)?.messageId?.slice("Outgoing_20261120104207".length) ?? "",
  errorOf: (response) => errorOf(response) ?? resultOf(response)?.errorMessage ?? null,
};

/** Requests in the format of Azure Communication Services. */
export const samples: ProviderSamples = { email, sms };
