import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";

const path = "/emails";
const authorization = "Bearer re_test";
const quoted = ({ name, address }: { readonly name: string; readonly address: string }): string =>
  name === "" ? address : `${JSON.stringify(name)} <${address}>`;

function bodyOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments, metadata, sendAt, template } = mail;
  return {
    from: quoted(from),
    to: to.map(quoted),
    ...(cc !== undefined && { cc: cc.map(quoted) }),
    ...(bcc !== undefined && { bcc: bcc.map(quoted) }),
    ...(replyTo !== undefined && { reply_to: quoted(replyTo) }),
    subject,
    text,
    html,
    headers,
    attachments: attachments?.map(({ fileName, contentType, content, contentId }) => {
      const base64 = Buffer.from(content).toString("base64");
      return { filename: fileName, content_type: contentType, content: base64, content_id: contentId };
    }),
    ...(metadata !== undefined && { tags: Object.entries(metadata).map(([name, value]) => ({ name, value })) }),
    ...(sendAt !== undefined && { scheduled_at: new Date(sendAt).toISOString() }),
    ...(template !== undefined && { template: { id: template.id, variables: template.data } }),
  };
}

const valid = { from: "App <a@app.example>", to: "zoe@shop.example", subject: "Hello", text: "Hello" };

const email: EmailSamples = {
  sendPath: path,
  send: (mail, { key }) =>
    jsonRequest(bodyOf(mail), {
      key,
      path,
      headers: {
        authorization,
        ...(mail.idempotencyKey !== undefined && { "idempotency-key": mail.idempotencyKey }),
      },
    }),
  idsOf: (response) => {
    const { id, data } = jsonOf(response) as { id?: string; data?: readonly { id: string }[] };
    return data?.map((one) => one.id) ?? [id ?? ""];
  },
  errorOf: (response) => {
    const { name, message } = jsonOf(response);
    return response.status < 300 ? null : `${String(name)}: ${String(message)}`;
  },
  rejected: (key) => {
    const post = (value: unknown, error: string): ReturnType<EmailSamples["rejected"]>[string] => ({
      request: jsonRequest(value, { key, path, headers: { authorization } }),
      error,
    });
    const format = "The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.";
    const { text: _text, ...withoutBody } = valid;
    return {
      "no sender": post({ ...valid, from: undefined }, "missing_required_field: Missing `from` field."),
      "an invalid sender": post({ ...valid, from: "App" }, `validation_error: Invalid \`from\` field. ${format}`),
      "no recipient": post({ ...valid, to: undefined }, "missing_required_field: Missing `to` field."),
      "an invalid recipient": post({ ...valid, to: ["x"] }, `validation_error: Invalid \`to\` field. ${format}`),
      "no subject": post({ ...valid, subject: undefined }, "missing_required_field: Missing `subject` field."),
      "no body": post(withoutBody, "validation_error: Missing `html` or `text` field."),
      "invalid JSON or form": {
        request: jsonRequest("", { key, path, headers: { authorization }, body: Buffer.from("{") }),
        error: "validation_error: The request body must be valid JSON.",
      },
      "invalid base64": post(
        { ...valid, attachments: [{ filename: "a", content: "?" }] },
        "invalid_attachment: Attachment must have either a `content` or `path`.",
      ),
      "too many recipients": post(
        { ...valid, to: Array.from({ length: 51 }, (_, at) => `a${at}@shop.example`) },
        "validation_error: Invalid `to` field. The maximum number of recipients is 50.",
      ),
      "an invalid tag": post(
        { ...valid, tags: [{ name: "a b", value: "x" }] },
        "validation_error: Tags should only contain ASCII letters, numbers, underscores, or dashes.",
      ),
      "an invalid time": post(
        { ...valid, scheduled_at: "next year" },
        "validation_error: Invalid `scheduled_at` field. Use ISO 8601, or a span such as `in 1 min`.",
      ),
      "a time after 30 days": post(
        { ...valid, scheduled_at: "in 5 weeks" },
        "validation_error: The `scheduled_at` field must be within 30 days.",
      ),
      "a template with a body": post(
        { ...valid, template: { id: "welcome" } },
        "validation_error: The `template` field cannot be used together with `html` or `text`.",
      ),
      "an idempotency key that is too long": {
        request: jsonRequest(valid, { key, path, headers: { authorization, "idempotency-key": "k".repeat(257) } }),
        error: "invalid_idempotency_key: The key must be between 1-256 chars.",
      },
    };
  },
  storeTemplate: {
    steps: [
      ({ name, subject, text, html }, { key }) =>
        jsonRequest({ name, subject, text, html }, { key, path: "/templates" }),
      (_template, { key, earlier }) => {
        const id = earlier[0] === undefined ? "" : String(jsonOf(earlier[0])["id"]);
        return jsonRequest({}, { key, path: `/templates/${id}/publish`, params: { id } });
      },
    ],
    idOf: ([created]) => (created === undefined ? "" : String(jsonOf(created)["id"])),
  },
  batch: (mails, { key }) => {
    const own = `${path}/batch`;
    return { path: own, request: jsonRequest(mails.map(bodyOf), { key, path: own, headers: { authorization } }) };
  },
  cancel: (id, { key }) => {
    const own = `${path}/${id}/cancel`;
    return { method: "POST", path: own, request: jsonRequest({}, { key, path: own, params: { id } }) };
  },
  get: (id, { key }) => {
    const own = `${path}/${id}`;
    return { method: "GET", path: own, request: jsonRequest({}, { key, path: own, method: "GET", params: { id } }) };
  },
};

/** Requests in the format of Resend. */
export const samples: ProviderSamples = { email };
