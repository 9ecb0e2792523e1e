import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";
import type { ProviderRequest, ProviderResponse } from "../provider.ts";
import type { SendGridError } from "./errors.ts";

const sendPath = "/v3/mail/send";

type Mailbox = SampleEmail["from"];
const mailbox = ({ name, address }: Mailbox): unknown => ({ email: address, ...(name !== "" && { name }) });

function personalizationOf({ to, cc, bcc, template }: SampleEmail): Readonly<Record<string, unknown>> {
  return {
    to: to.map(mailbox),
    ...(cc !== undefined && { cc: cc.map(mailbox) }),
    ...(bcc !== undefined && { bcc: bcc.map(mailbox) }),
    ...(template !== undefined && { dynamic_template_data: template.data }),
  };
}

function contentOf({ text, html, template }: SampleEmail): unknown {
  const content = [
    ...(text === undefined ? [] : [{ type: "text/plain", value: text }]),
    ...(html === undefined ? [] : [{ type: "text/html", value: html }]),
  ];
  return template === undefined || content.length > 0 ? { content } : {};
}

/** Returns the body of a request that sends a mail. */
export function sendBody(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, replyTo, subject, headers, attachments, tags, metadata, sendAt, template, sandbox } = mail;
  const files = attachments?.map(({ fileName, contentType, content, contentId }) => ({
    content: Buffer.from(content).toString("base64"),
    filename: fileName,
    type: contentType,
    ...(contentId === undefined ? { disposition: "attachment" } : { disposition: "inline", content_id: contentId }),
  }));
  return {
    personalizations: [personalizationOf(mail)],
    from: mailbox(from),
    ...(replyTo !== undefined && { reply_to: mailbox(replyTo) }),
    subject,
    ...(contentOf(mail) as object),
    ...(headers !== undefined && { headers }),
    ...(files !== undefined && { attachments: files }),
    ...(tags !== undefined && { categories: tags }),
    ...(metadata !== undefined && { custom_args: metadata }),
    ...(sendAt !== undefined && { send_at: sendAt / 1000 }),
    ...(template !== undefined && { template_id: template.id }),
    ...(sandbox === true && { mail_settings: { sandbox_mode: { enable: true } } }),
  };
}

/** Returns a request of the API with a JSON body. */
export function apiRequest(path: string, value: unknown, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  const { key = null } = changes;
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  return jsonRequest(value, { path, url: `http://localhost/providers/sendgrid${path}`, headers, ...changes });
}

function errorOf({ status, body }: ProviderResponse): string | null {
  if (status < 400) return null;
  const { errors } = JSON.parse(body?.text ?? "{}") as { readonly errors: readonly SendGridError[] };
  return errors.map(({ field, message }) => `${String(field)}: ${message.slice(0, 40)}`).join("; ");
}

const email: EmailSamples = {
  sendPath,
  templateId: "d-5f8c1b7e2a9d4c3fb6e8a1d2c3b4a5f6",
  send: (mail, { key }) => apiRequest(sendPath, sendBody(mail), { key }),
  idsOf: ({ headers }) => (headers === undefined ? [] : [headers["X-Message-Id"] ?? ""]),
  errorOf,
  rejected: (key) => {
    const valid = sendBody({
      from: { name: "", address: "sender@app.example" },
      to: [{ name: "", address: "zoe@shop.example" }],
      subject: "Hello",
      text: "Hello",
    });
    const changed = (changes: Readonly<Record<string, unknown>>, error: string) => ({
      request: apiRequest(sendPath, { ...valid, ...changes }, { key }),
      error,
    });
    const to = Array.from({ length: 1001 }, (_, at) => ({ email: `a${at}@shop.example` }));
    const personalization = "personalizations.0";
    const file = { content: "not base64!", filename: "a.txt" };
    return {
      "no sender": changed({ from: undefined }, "from.email: The from object must be provided for eve"),
      "no recipient": changed(
        { personalizations: [{ to: [] }] },
        `${personalization}.to: The to array is required for all persona`,
      ),
      "an invalid recipient": changed(
        { personalizations: [{ to: [{ email: "nobody" }] }] },
        `${personalization}.to.0.email: Does not contain a valid address.`,
      ),
      "no body": changed({ content: undefined }, "content: Unless a valid template_id is provided, "),
      "invalid JSON or form": {
        request: { ...apiRequest(sendPath, null, { key }), body: Buffer.from("{") },
        error: "null: Bad Request",
      },
      "invalid base64": changed(
        { attachments: [file] },
        "attachments.0.content: The attachment content must be base64 en",
      ),
      "too many recipients": changed(
        { personalizations: [{ to }] },
        "personalizations: There is a limit of 1000 total recipient",
      ),
      "no personalization": changed(
        { personalizations: [] },
        "personalizations: The personalizations field is required a",
      ),
    };
  },
  storeTemplate: {
    steps: [
      ({ name }, { key }) => apiRequest("/v3/templates", { name, generation: "dynamic" }, { key }),
      ({ name, subject, text, html }, { key, earlier: [created] }) => {
        const id = String(created === undefined ? "" : jsonOf(created)["id"]);
        const version = { name, subject, plain_content: text, html_content: html };
        return apiRequest(`/v3/templates/${id}/versions`, version, { key });
      },
    ],
    idOf: ([created]) => String(created === undefined ? "" : jsonOf(created)["id"]),
  },
  batch: (mails, { key }) => {
    const [first] = mails;
    if (first === undefined) throw new Error("a batch has at least one mail");
    const body = { ...sendBody(first), personalizations: mails.map(personalizationOf) };
    return { path: sendPath, request: apiRequest(sendPath, body, { key }) };
  },
};

/** Requests in the format of SendGrid. */
export const samples: ProviderSamples = { email };
