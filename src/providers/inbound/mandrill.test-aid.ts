/** Samples of Mandrill's inbound webhooks. */
import { createHmac } from "node:crypto";
import type { InboundSamples } from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest } from "../callbacks.ts";

interface Message {
  readonly raw_msg: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly email: string;
  readonly attachments?: Readonly<Record<string, File>>;
  readonly images?: Readonly<Record<string, File>>;
}

interface File {
  readonly name: string;
  readonly content: string;
}

/** Samples of the webhooks. */
export const inboundSamples: InboundSamples = {
  given: { key: "webhook-key" },
  // As documented: HMAC-SHA1 in base64 over the URL, then each field's name and value, sorted by name.
  verify: ({ headers, body }, { url, created }) => {
    const fields = [...new URLSearchParams(Buffer.from(body).toString("utf8"))].toSorted(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const text = url + fields.map(([name, value]) => name + value).join("");
    const expected = createHmac("sha1", created.secret ?? "")
      .update(text, "utf8")
      .digest("base64");
    return headers["x-mandrill-signature"] === expected;
  },
  altered: (request) => ({
    signature: withSignature(request, Buffer.alloc(20).toString("base64")),
    "no signature": withSignature(request, ""),
  }),
  // A changed percent-encoding can stand for the same text.
  signsBody: false,
  variants: [
    {
      title: "the default",
      options: {},
      path: "/hook?tenant=7",
      read: ({ body }) => {
        const events = new URLSearchParams(Buffer.from(body).toString("utf8")).get("mandrill_events") ?? "[]";
        const [members] = JSON.parse(events) as readonly [{ readonly msg: Message }];
        const { raw_msg: raw, subject, text, html, email, attachments = {}, images = {} } = members.msg;
        const files = [...Object.values(attachments), ...Object.values(images)];
        return {
          members,
          subject,
          text,
          html,
          recipient: email,
          ...(raw.includes("\uFFFD") ? {} : { raw: Buffer.from(raw, "utf8") }),
          attachments: files.map(({ name, content }) => ({ fileName: name, content: Buffer.from(content, "base64") })),
        };
      },
      fields: {
        event: "string",
        ts: "integer",
        msg: "object",
        "msg.raw_msg": "string",
        "msg.headers": "map",
        "msg.text": "string",
        "msg.text_flowed": "boolean",
        "msg.html": "string",
        "msg.from_email": "string",
        "msg.from_name": "string",
        "msg.to": "array",
        "msg.to[]": "array",
        "msg.to[][]": "string|null",
        "msg.cc": "array?",
        "msg.cc[]": "array",
        "msg.cc[][]": "string|null",
        "msg.email": "string",
        "msg.subject": "string",
        "msg.tags": "array",
        "msg.sender": "null",
        "msg.attachments": "map?",
        "msg.images": "map?",
        "msg.spam_report": "object",
        "msg.spam_report.score": "number",
        "msg.spam_report.matched_rules": "array",
        "msg.spf": "object",
        "msg.spf.result": "string",
        "msg.spf.detail": "string",
        "msg.dkim": "object",
        "msg.dkim.signed": "boolean",
        "msg.dkim.valid": "boolean",
        "msg.template": "null",
      },
    },
  ],
};

function withSignature(request: CallbackRequest, signature: string): CallbackRequest {
  return { ...request, headers: { ...request.headers, "x-mandrill-signature": signature } };
}
