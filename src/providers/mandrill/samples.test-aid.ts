import {
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";
import type { ProviderRequest } from "../provider.ts";

const base = "/api/1.0";
const path = `${base}/messages/send.json`;

function post(call: string, value: object, key: string): ProviderRequest {
  return jsonRequest({ ...value, key }, { path: `${base}/${call}.json`, key });
}

function messageOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, to, cc = [], bcc = [], replyTo, subject, text, html, headers, attachments = [], metadata, tags } = mail;
  const ofType = (type: string, list: SampleEmail["to"]): readonly object[] =>
    list.map(({ name, address }) => ({ email: address, name, type }));
  const files = (isImage: boolean): readonly object[] =>
    attachments
      .filter(({ contentId }) => (contentId !== undefined) === isImage)
      .map(({ fileName, contentType, content, contentId }) => ({
        type: contentType,
        name: contentId ?? fileName,
        content: Buffer.from(content).toString("base64"),
      }));
  const quoted = replyTo === undefined ? undefined : `${JSON.stringify(replyTo.name)} <${replyTo.address}>`;
  const variables = Object.entries(mail.template?.data ?? {}).map(([name, content]) => ({ name, content }));
  return {
    from_email: from.address,
    from_name: from.name,
    to: [...ofType("to", to), ...ofType("cc", cc), ...ofType("bcc", bcc)],
    subject,
    text,
    html,
    headers: { ...headers, ...(quoted !== undefined && { "Reply-To": quoted }) },
    attachments: files(false),
    images: files(true),
    preserve_recipients: true,
    tags,
    metadata,
    ...(variables.length > 0 && { global_merge_vars: variables }),
  };
}

const valid = {
  from_email: "a@app.example",
  to: [{ email: "zoe@shop.example" }],
  subject: "Hello",
  text: "Hello",
};

interface Result {
  readonly email: string;
  readonly status: string;
  readonly _id: string;
  readonly reject_reason: string | null;
}

const email: EmailSamples = {
  sendPath: path,
  rejectionStatus: 500,
  send: (mail, { key }) => {
    const sendAt = mail.sendAt === undefined ? {} : { send_at: new Date(mail.sendAt).toISOString() };
    const value = { message: messageOf(mail), ...sendAt };
    return mail.template === undefined
      ? post("messages/send", value, key)
      : post("messages/send-template", { ...value, template_name: mail.template.id, template_content: [] }, key);
  },
  idsOf: (response) => {
    const results = JSON.parse(response.body?.text ?? "[]") as readonly Result[];
    return [...new Set(results.map((one) => one._id))];
  },
  errorOf: (response) => {
    const value = JSON.parse(response.body?.text ?? "null") as
      | readonly Result[]
      | { readonly name?: string; readonly message?: string };
    if (response.status !== 200) return "name" in value ? `${value.name ?? ""}: ${value.message ?? ""}` : null;
    const refusal = Array.isArray(value)
      ? (value as readonly Result[]).find(
          (one) => one.reject_reason !== undefined && (one.status === "rejected" || one.status === "invalid"),
        )
      : undefined;
    return refusal === undefined ? null : `${refusal.status}: ${String(refusal.reject_reason)}`;
  },
  rejected: (key) => {
    const rejected = (changes: object, error: string): ReturnType<EmailSamples["rejected"]>[string] => ({
      request: post("messages/send", { message: { ...valid, ...changes } }, key),
      error,
    });
    const invalid = (members: object): string => `ValidationError: Validation error: ${JSON.stringify(members)}`;
    const many = Array.from({ length: 1001 }, (_none, at) => ({ email: `a${String(at)}@shop.example` }));
    return {
      "no sender": rejected({ from_email: undefined }, "rejected: invalid-sender"),
      "an invalid sender": rejected(
        { from_email: "App" },
        invalid({ message: { from_email: "An email address must contain a single @" } }),
      ),
      "no recipient": rejected({ to: undefined }, invalid({ message: { to: "Missing value" } })),
      "an invalid recipient": rejected({ to: [{ email: "x" }] }, "invalid: null"),
      "invalid JSON or form": {
        request: jsonRequest("", { path, key, body: Buffer.from("{") }),
        error: "ValidationError: You must specify a key value",
      },
      "no message": {
        request: post("messages/send", {}, key),
        error: "ValidationError: You must specify a message value",
      },
      "invalid base64": rejected(
        { attachments: [{ name: "a", content: "?" }] },
        invalid({ message: { attachments: [{ content: "Please enter base64" }] } }),
      ),
      "an image of another type": rejected(
        { images: [{ name: "a", type: "text/plain", content: "SGkK" }] },
        invalid({ message: { images: [{ type: "Please enter a type of images" }] } }),
      ),
      "too many recipients": rejected(
        { to: many },
        invalid({ message: { to: "Enter a list of at most 1000 recipients" } }),
      ),
      "a reserved tag": rejected(
        { tags: ["_a"] },
        invalid({ message: { tags: "Tags have at most 50 characters and may not start with an underscore" } }),
      ),
      "a text of another type": rejected({ subject: 1 }, invalid({ message: { subject: "Please enter a string" } })),
      "a template that is not stored": {
        request: post("messages/send-template", { message: valid, template_name: "none", template_content: [] }, key),
        error: 'Unknown_Template: No such template "none"',
      },
      "an invalid time": {
        request: post("messages/send", { message: valid, send_at: "tomorrow" }, key),
        error: invalid({ send_at: "Please enter a date as YYYY-MM-DD HH:MM:SS" }),
      },
    };
  },
  withoutRejections: { "no body": "Mandrill sends mail without a body." },
  storeTemplate: {
    steps: [
      ({ name, subject, text, html }, { key }) => post("templates/add", { name, subject, text, code: html }, key),
    ],
    idOf: () => "welcome",
  },
  batch: (mails, { key }) => {
    const [first] = mails;
    const to = mails.flatMap((mail) => mail.to.map(({ address }) => ({ email: address })));
    const message = { ...(first === undefined ? {} : messageOf(first)), to, preserve_recipients: false };
    return { path: "/api/:version/messages/send.json", request: post("messages/send", { message }, key) };
  },
  cancel: (id, { key }) => ({
    method: "POST",
    path: "/api/:version/messages/cancel-scheduled.json",
    request: post("messages/cancel-scheduled", { id }, key),
  }),
  get: (id, { key }) => ({
    method: "POST",
    path: "/api/:version/messages/info.json",
    request: post("messages/info", { id }, key),
  }),
};

/** Requests in the format of Mandrill. */
export const samples: ProviderSamples = { email };
