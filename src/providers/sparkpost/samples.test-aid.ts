import {
  jsonOf,
  jsonRequest,
  type EmailSamples,
  type ProviderSamples,
  type SampleEmail,
} from "../conformance/samples.test-aid.ts";
import type { ProviderRequest } from "../provider.ts";

const path = "/api/v1/transmissions";
const quoted = ({ name, address }: { readonly name: string; readonly address: string }): string =>
  name === "" ? address : `${JSON.stringify(name)} <${address}>`;

function contentOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { from, cc = [], replyTo, subject, text, html, headers, attachments = [], template } = mail;
  if (template !== undefined) return { template_id: template.id };
  const files = (isInline: boolean): readonly object[] =>
    attachments
      .filter(({ contentId }) => (contentId !== undefined) === isInline)
      .map(({ fileName, contentType, content, contentId }) => ({
        name: contentId ?? fileName,
        type: contentType,
        data: Buffer.from(content).toString("base64"),
      }));
  return {
    from: { email: from.address, name: from.name },
    ...(replyTo !== undefined && { reply_to: quoted(replyTo) }),
    subject,
    text,
    html,
    headers: { ...headers, ...(cc.length > 0 && { CC: cc.map(quoted).join(", ") }) },
    attachments: files(false),
    inline_images: files(true),
  };
}

function bodyOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const { to, cc = [], bcc = [], tags, metadata, sendAt, template } = mail;
  const header_to = to.map(quoted).join(", ");
  return {
    recipients: [...to, ...cc, ...bcc].map(({ address }) => ({ address: { email: address, header_to }, tags })),
    content: contentOf(mail),
    metadata,
    substitution_data: template?.data,
    options: {
      perform_substitutions: template !== undefined,
      ...(sendAt !== undefined && { start_time: new Date(sendAt).toISOString() }),
    },
  };
}

function ask(value: unknown, key: string, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return jsonRequest(value, { key, path, headers: { authorization: key }, ...changes });
}

const valid = {
  recipients: [{ address: "zoe@shop.example" }],
  content: { from: "a@app.example", subject: "Hello", text: "Hello" },
};

const email: EmailSamples = {
  sendPath: path,
  send: (mail, { key }) => ask(bodyOf(mail), key),
  idsOf: (response) => [(jsonOf(response)["results"] as { readonly id: string }).id],
  errorOf: (response) => {
    const errors = jsonOf(response)["errors"] as
      | readonly { readonly message: string; readonly description?: string; readonly code?: string }[]
      | undefined;
    const [first] = errors ?? [];
    if (first === undefined) return null;
    return [first.code, first.message, first.description].filter((one) => one !== undefined).join(": ");
  },
  rejected: (key) => {
    const rejected = (changes: object, error: string): ReturnType<EmailSamples["rejected"]>[string] => ({
      request: ask({ ...valid, ...changes }, key),
      error,
    });
    const content = (changes: object): object => ({ content: { ...valid.content, ...changes } });
    const format = "1300: invalid data format/type: ";
    const missing = "1400: required field is missing: ";
    const many = Array.from({ length: 2001 }, (_none, at) => ({ address: `a${String(at)}@shop.example` }));
    return {
      "no sender": rejected(content({ from: undefined }), `${missing}content.from is a required field`),
      "an invalid sender": rejected(content({ from: "App" }), `${format}content.from must be an address`),
      "no recipient": rejected({ recipients: undefined }, `${missing}recipients or list_id required`),
      "an invalid recipient": rejected(
        { recipients: [{ address: "x" }] },
        "5002: at least one valid recipient is required: No recipient has a valid address",
      ),
      "no subject": rejected(content({ subject: undefined }), `${missing}content.subject is a required field`),
      "no body": rejected(
        content({ text: undefined }),
        `${missing}At least one of 'text' or 'html' must exist in content`,
      ),
      "no content": rejected({ content: undefined }, `${missing}content object or template_id required`),
      "invalid JSON or form": {
        request: ask("", key, { body: Buffer.from("{") }),
        error: `${format}Problems parsing request as JSON`,
      },
      "invalid base64": rejected(
        content({ attachments: [{ name: "a", type: "text/plain", data: "?" }] }),
        `${format}data of a must be base64`,
      ),
      "too many recipients": rejected({ recipients: many }, `${format}recipients must have at most 2000 elements`),
      "a recipient list": rejected(
        { recipients: { list_id: "all" } },
        "1603: Subresource not found: Recipient lists are not stored",
      ),
      "a template that is not stored": rejected(
        { content: { template_id: "none" } },
        "1603: Subresource not found: template 'none' does not exist",
      ),
      "an invalid time": rejected(
        { options: { start_time: "tomorrow" } },
        `${format}start_time must be YYYY-MM-DDTHH:MM:SS+-HH:MM or now`,
      ),
      "a time after a year": rejected(
        { options: { start_time: "2028-01-01T00:00:00Z" } },
        `${format}start_time must be within a year`,
      ),
      "a campaign that is too long": rejected(
        { campaign_id: "x".repeat(65) },
        `${format}campaign_id must be at most 64 bytes`,
      ),
      "an invalid return path": rejected({ return_path: "x" }, `${format}return_path must be an address`),
      "a text of another type": rejected(content({ text: 1 }), `${format}text must be a valid string`),
    };
  },
  storeTemplate: {
    steps: [
      ({ name, subject, text, html }, { key }) =>
        ask({ id: name, published: true, content: { from: "a@app.example", subject, text, html } }, key, {
          path: "/api/v1/templates",
        }),
    ],
    idOf: () => "welcome",
  },
  batch: (mails, { key }) => {
    const recipients = mails.flatMap((mail) => mail.to.map(({ address }) => ({ address })));
    return { path, request: ask({ ...valid, recipients }, key) };
  },
  cancel: (id, { key }) => {
    const own = `${path}/${id}`;
    return {
      method: "DELETE",
      path: `${path}/:id`,
      request: ask({}, key, { method: "DELETE", path: own, params: { id }, body: new Uint8Array() }),
    };
  },
};

/** Requests in the format of SparkPost. */
export const samples: ProviderSamples = { email };
