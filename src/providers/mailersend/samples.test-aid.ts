import { uuidOfDigits } from "../formats/uuid.ts";
import type { ProviderRequest } from "../provider.ts";
import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
  type SmsSamples,
} from "../conformance/samples.test-aid.ts";

const path = "/v1/email";
const mailbox = ({ name, address }: { readonly name: string; readonly address: string }): object => {
  return name === "" ? { email: address } : { email: address, name };
};

/** Returns a request with a JSON body. */
export function mailerSendRequest(
  value: unknown,
  key: string,
  changes: Partial<ProviderRequest> = {},
): ProviderRequest {
  return jsonRequest(value, { key, path, headers: { authorization: `Bearer ${key}` }, ...changes });
}

function bodyOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments, tags, sendAt, template } = mail;
  return {
    from: mailbox(from),
    to: to.map(mailbox),
    cc: cc?.map(mailbox),
    bcc: bcc?.map(mailbox),
    ...(replyTo !== undefined && { reply_to: mailbox(replyTo) }),
    subject,
    text,
    html,
    ...(headers !== undefined && { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) }),
    attachments: attachments?.map(({ fileName, content, contentId }) => {
      const disposition = contentId === undefined ? "attachment" : "inline";
      return { filename: fileName, content: Buffer.from(content).toString("base64"), disposition, id: contentId };
    }),
    tags,
    ...(sendAt !== undefined && { send_at: sendAt / 1000 }),
    ...(template !== undefined && {
      template_id: template.id,
      personalization: to.map(({ address }) => ({ email: address, data: template.data })),
    }),
  };
}

const zoe = { email: "zoe@shop.example" };
const valid = { from: { email: "a@app.example" }, to: [zoe], subject: "Hello", text: "Hello" };

const email: EmailSamples = {
  sendPath: path,
  templateId: "jy7zpl93p5rg5vx6",
  send: (mail, { key }) => mailerSendRequest(bodyOf(mail), key),
  idsOf: (response) => {
    const id = response.headers?.["X-Message-Id"] ?? jsonOf(response)["bulk_email_id"];
    return [String(id)];
  },
  errorOf: (response) => {
    if (response.status < 300) return null;
    const { message, errors = {} } = jsonOf(response) as { message?: string; errors?: object };
    return [...Object.keys(errors), message].join(": ");
  },
  rejected: (key) => {
    const post = (value: unknown, error: string): ReturnType<EmailSamples["rejected"]>[string] => {
      return { request: mailerSendRequest(value, key), error };
    };
    const { text: _text, ...withoutBody } = valid;
    return {
      "no sender": post({ ...valid, from: undefined }, `from.email: The from.email field is required. #MS42209`),
      "no recipient": post({ ...valid, to: undefined }, `to: The to field is required. #MS42209`),
      "an invalid recipient": post(
        { ...valid, to: [{ email: "x" }] },
        `to.0.email: The to.0.email must be a valid email address. #MS42208`,
      ),
      "two errors": post(
        { ...valid, subject: undefined, to: [] },
        `to: subject: The to field is required. #MS42209 (and 1 more error)`,
      ),
      "no body": post(
        withoutBody,
        `html: text: You must provide one of html, text or template_id. #MS42211 (and 1 more error)`,
      ),
      "invalid JSON or form": {
        request: mailerSendRequest("", key, { body: Buffer.from("{") }),
        error: `JSON contains a syntax error. #MS42227`,
      },
      "invalid base64": post(
        { ...valid, attachments: [{ filename: "a.pdf", content: "?" }] },
        `attachments.0.content: The attachment content must be a Base64 encoded string. #MS42215`,
      ),
      "too many recipients": post(
        { ...valid, to: Array.from({ length: 51 }, (_, at) => ({ email: `a${at}@shop.example` })) },
        `to: The to recipient limit is exceeded. #MS42205`,
      ),
      "a repeated recipient": post(
        { ...valid, to: [zoe, zoe] },
        `to.1.email: zoe@shop.example is duplicated in the to recipients list. #MS42201`,
      ),
      "a time in the past": post(
        { ...valid, send_at: 1 },
        `send_at: The send_at must be a date in the future. #MS42219`,
      ),
      "a time that is no number": post(
        { ...valid, send_at: "tomorrow" },
        `send_at: The send_at timestamp does not match the Unix format. #MS42218`,
      ),
      "data of a stranger": post(
        { ...valid, personalization: [{ email: "x@shop.example", data: { a: 1 } }] },
        `personalization.0.email: One or more emails in the variables field do not exist in the recipients field. #MS42217`,
      ),
      "an invalid header name": post(
        { ...valid, headers: [{ name: "a b", value: "x" }] },
        `headers.0.name: The headers.0.name may only contain alphanumeric characters and hyphens. #MS42220`,
      ),
    };
  },
  storeTemplate: {
    steps: [({ name, text, html }, { key }) => mailerSendRequest({ name, text, html }, key, { path: "/v1/templates" })],
    idOf: ([created]) => {
      const { data } = (created === undefined ? {} : jsonOf(created)) as { data?: { id: string } };
      return data?.id ?? "";
    },
  },
  batch: (mails, { key }) => {
    const own = "/v1/bulk-email";
    return { path: own, request: mailerSendRequest(mails.map(bodyOf), key, { path: own }) };
  },
  cancel: (id, { key }) => {
    const own = `/v1/message-schedules/${id}`;
    return {
      method: "DELETE",
      path: own,
      request: mailerSendRequest({}, key, { method: "DELETE", path: own, params: { id } }),
    };
  },
  get: (id, { key }) => {
    const own = `/v1/messages/${id}`;
    return {
      method: "GET",
      path: own,
      request: mailerSendRequest({}, key, { method: "GET", path: own, params: { id } }),
    };
  },
};

const sms: SmsSamples = {
  sendPath: "/v1/sms",
  lacksCallbacks: true,
  // https://developers.mailersend.com/api/v1/sms: personalization is read.
  furtherFields: {},
  send: ({ from, to, text }, { key, fields = {} }) =>
    mailerSendRequest({ ...fields, from, to: [to], text }, key, { path: "/v1/sms" }),
  idOf: (response) => uuidOfDigits(response.headers?.["X-SMS-Message-Id"] ?? ""),
  errorOf: email.errorOf,
};

/** Requests in the format of MailerSend. */
export const samples: ProviderSamples = { email, sms };
