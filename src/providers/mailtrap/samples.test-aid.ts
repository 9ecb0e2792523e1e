import type { ProviderRequest } from "../provider.ts";
import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";

const path = "/api/send";
const mailbox = ({ name, address }: { readonly name: string; readonly address: string }): object => {
  return name === "" ? { email: address } : { email: address, name };
};

/** Returns a request with a JSON body. */
export function mailtrapRequest(value: unknown, key: string, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return jsonRequest(value, { key, path, headers: { "api-token": key }, ...changes });
}

function bodyOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments, tags, metadata, template } = mail;
  return {
    from: mailbox(from),
    to: to.map(mailbox),
    cc: cc?.map(mailbox),
    bcc: bcc?.map(mailbox),
    ...(replyTo !== undefined && { reply_to: mailbox(replyTo) }),
    ...(template === undefined && { subject }),
    text,
    html,
    headers,
    attachments: attachments?.map(({ fileName, contentType, content, contentId }) => {
      const file = { filename: fileName, type: contentType, content: Buffer.from(content).toString("base64") };
      return contentId === undefined ? file : { ...file, disposition: "inline", content_id: contentId };
    }),
    category: tags?.[0],
    custom_variables: metadata,
    ...(template !== undefined && { template_uuid: template.id, template_variables: template.data }),
  };
}

const zoe = { email: "zoe@shop.example" };
const valid = { from: { email: "a@app.example" }, to: [zoe], subject: "Hello", text: "Hello" };

const email: EmailSamples = {
  sendPath: path,
  templateId: "aeb1ec59-2737-4a1d-9c95-0baf3be49d74",
  send: (mail, { key }) => mailtrapRequest(bodyOf(mail), key),
  idsOf: (response) => {
    const { message_ids: ids, responses = [] } = jsonOf(response) as {
      message_ids?: readonly string[];
      responses?: readonly { readonly message_ids?: readonly string[] }[];
    };
    return ids?.slice(0, 1) ?? responses.flatMap((one) => one.message_ids ?? []);
  },
  errorOf: (response) => {
    if (response.status < 300) return null;
    const { errors = [], error } = jsonOf(response) as { errors?: readonly string[]; error?: string };
    return error ?? [errors].flat().join("; ");
  },
  rejected: (key) => {
    const post = (value: unknown, error: string): ReturnType<EmailSamples["rejected"]>[string] => {
      return { request: mailtrapRequest(value, key), error };
    };
    return {
      "no sender": post({ ...valid, from: undefined }, "'from' is required"),
      "an invalid sender": post({ ...valid, from: { email: "App" } }, "'from' address is invalid"),
      "no recipient": post({ ...valid, to: undefined }, "'to', 'cc' or 'bcc' address is required"),
      "an invalid recipient": post({ ...valid, to: [{ email: "x" }, 1] }, "'to' address is invalid"),
      "no body": post({ ...valid, text: undefined }, "must specify either text or html body"),
      "everything absent": post(
        { to: [zoe] },
        "'from' is required; 'subject' is required; must specify either text or html body",
      ),
      "invalid JSON or form": {
        request: mailtrapRequest("", key, { body: Buffer.from("{") }),
        error: "invalid JSON in request body",
      },
      "invalid base64": post(
        { ...valid, attachments: [{ filename: "a.pdf", content: "?" }] },
        "'attachments[0].content' must be base64-encoded",
      ),
      "too many recipients": post(
        { ...valid, to: Array.from({ length: 1001 }, () => zoe) },
        "'to' must be an array of at most 1000 addresses",
      ),
      "a template with content": post(
        { ...valid, template_uuid: "a" },
        "'subject' is not allowed with 'template_uuid'; 'text' is not allowed with 'template_uuid'",
      ),
      "a category that is too long": post(
        { ...valid, category: "x".repeat(256) },
        "'category' must have at most 255 characters",
      ),
      "variables that are too long": post(
        { ...valid, custom_variables: { a: "x".repeat(1000) } },
        "'custom_variables' must have at most 1000 characters",
      ),
      "a header that is no string": post({ ...valid, headers: { "X-A": 1 } }, "'headers' is invalid"),
      "other types": post(
        { ...valid, subject: 1, custom_variables: "x", attachments: {} },
        "'subject' must be a string; 'attachments' must be an array; 'custom_variables' must be an object",
      ),
    };
  },
  storeTemplate: {
    steps: [
      ({ name, subject, text, html }, { key }) => {
        const own = "/api/accounts/1/email_templates";
        const value = { email_template: { name, subject, category: "Test", body_html: html, body_text: text } };
        return mailtrapRequest(value, key, { path: own });
      },
    ],
    idOf: ([created]) => (created === undefined ? "" : String(jsonOf(created)["uuid"])),
  },
  batch: (mails, { key }) => {
    const own = "/api/batch";
    const base = { from: valid.from };
    return { path: own, request: mailtrapRequest({ base, requests: mails.map(bodyOf) }, key, { path: own }) };
  },
};

/** Requests in the format of Mailtrap. */
export const samples: ProviderSamples = { email };
