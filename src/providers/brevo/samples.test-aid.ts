import type { ProviderRequest } from "../provider.ts";
import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
  type SmsSamples,
} from "../conformance/samples.test-aid.ts";
import { uuidOfId } from "./response.ts";

const path = "/v3/smtp/email";
const mailbox = ({ name, address }: { readonly name: string; readonly address: string }): object => {
  return name === "" ? { email: address } : { name, email: address };
};

/** Returns a request with a JSON body and the key in its header field. */
export function brevoRequest(value: unknown, key: string, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return jsonRequest(value, { key, path, headers: { "api-key": key }, ...changes });
}

function recipientsOf({ to, cc, bcc }: SampleEmail): object {
  return {
    to: to.map(mailbox),
    ...(cc !== undefined && { cc: cc.map(mailbox) }),
    ...(bcc !== undefined && { bcc: bcc.map(mailbox) }),
  };
}

function bodyOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, replyTo, subject, text, html, headers, attachments, tags, sendAt, template } = mail;
  const options = {
    ...(mail.sandbox === true && { "X-Sib-Sandbox": "drop" }),
    ...(mail.idempotencyKey !== undefined && { "Idempotency-Key": mail.idempotencyKey }),
  };
  return {
    sender: mailbox(from),
    ...recipientsOf(mail),
    ...(replyTo !== undefined && { replyTo: mailbox(replyTo) }),
    subject,
    textContent: text,
    htmlContent: html,
    headers: { ...headers, ...options },
    attachment: attachments?.map(({ fileName, content }) => {
      return { name: fileName, content: Buffer.from(content).toString("base64") };
    }),
    tags,
    ...(sendAt !== undefined && { scheduledAt: new Date(sendAt).toISOString() }),
    ...(template !== undefined && { templateId: Number(template.id), params: template.data }),
  };
}

const zoe = { email: "zoe@shop.example" };
const valid = { sender: { email: "a@app.example" }, to: [zoe], subject: "Hello", textContent: "Hello" };

const email: EmailSamples = {
  sendPath: path,
  templateId: "17",
  send: (mail, { key }) => brevoRequest(bodyOf(mail), key),
  idsOf: (response) => {
    const { messageId, messageIds } = jsonOf(response) as { messageId?: string; messageIds?: readonly string[] };
    return messageIds ?? [messageId ?? ""];
  },
  errorOf: (response) => {
    if (response.status < 300) return null;
    const { code, message } = jsonOf(response);
    return `${String(code)}: ${String(message)}`;
  },
  rejected: (key) => {
    const post = (value: unknown, error: string): ReturnType<EmailSamples["rejected"]>[string] => {
      return { request: brevoRequest(value, key), error };
    };
    const { textContent: _text, ...withoutBody } = valid;
    return {
      "no sender": post({ ...valid, sender: undefined }, "missing_parameter: sender is missing"),
      "a sender without address": post(
        { ...valid, sender: { name: "App" } },
        "missing_parameter: One of sender email or sender ID is mandatory",
      ),
      "no recipient": post({ ...valid, to: undefined }, "missing_parameter: to is missing"),
      "an invalid recipient": post({ ...valid, to: [{ email: "x" }] }, "invalid_parameter: email is not valid in to"),
      "no subject": post({ ...valid, subject: undefined }, "missing_parameter: subject is missing"),
      "no body": post(withoutBody, "missing_parameter: htmlContent is missing"),
      "empty parameters": post({ ...valid, params: {} }, "missing_parameter: params is blank"),
      "invalid JSON or form": {
        request: brevoRequest("", key, { body: Buffer.from("{") }),
        error: "bad_request: Input must be a valid JSON object",
      },
      "invalid base64": post(
        { ...valid, attachment: [{ name: "a.pdf", content: "?" }] },
        "invalid_parameter: attachment content should be base64 encoded",
      ),
      "too many recipients": post(
        { ...valid, to: Array.from({ length: 100 }, () => zoe) },
        "out_of_range: to has more than 99 recipients",
      ),
      "an invalid time": post({ ...valid, scheduledAt: "tomorrow" }, "invalid_parameter: scheduledAt is not valid"),
    };
  },
  storeTemplate: {
    steps: [
      ({ name, subject, html }, { key }) => {
        const sender = { email: "a@app.example" };
        const value = { templateName: name, subject, htmlContent: html, sender, isActive: true };
        return brevoRequest(value, key, { path: "/v3/smtp/templates" });
      },
    ],
    isHtmlOnly: true,
    idOf: ([created]) => (created === undefined ? "" : String(jsonOf(created)["id"])),
  },
  batch: (mails, { key }) => {
    const messageVersions = mails.map((mail) => {
      return { ...recipientsOf(mail), subject: mail.subject, textContent: mail.text };
    });
    return { path, request: brevoRequest({ ...valid, to: undefined, messageVersions }, key) };
  },
  cancel: (id, { key }) => {
    const own = `${path}/${encodeURIComponent(id)}`;
    return {
      method: "DELETE",
      path: own,
      request: brevoRequest({}, key, { method: "DELETE", path: own, params: { id } }),
    };
  },
  get: (providerId, { key }) => {
    const id = uuidOfId(providerId);
    const own = `/v3/smtp/emails/${id}`;
    return { method: "GET", path: own, request: brevoRequest({}, key, { method: "GET", path: own, params: { id } }) };
  },
};

const sms: SmsSamples = {
  sendPath: "/v3/transactionalSMS/sms",
  lacksCallbacks: true,
  // https://developers.brevo.com/reference/sendtransacsms
  furtherFields: {
    type: "marketing",
    tag: "tag-7",
    webUrl: "https://app.test/hook-7",
    unicodeEnabled: "true",
    organisationPrefix: "Acme7",
    templateId: "4711",
  },
  send: ({ from, to, text }, { key, fields = {} }) =>
    brevoRequest({ ...fields, sender: from, recipient: to.replace("+", ""), content: text }, key, {
      path: "/v3/transactionalSMS/sms",
    }),
  idOf: (response) => String(jsonOf(response)["reference"]),
  errorOf: email.errorOf,
};

/** Requests in the format of Brevo. */
export const samples: ProviderSamples = { email, sms };
