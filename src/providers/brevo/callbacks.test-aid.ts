/** Samples of Brevo's transactional webhooks. */
import type { EventSamples } from "../conformance/callback-samples.test-aid.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const common: FieldTypes = {
  event: "string",
  email: "string",
  id: "integer",
  date: "string",
  ts: "integer",
  "message-id": "string",
  ts_event: "integer",
  subject: "string",
  "X-Mailin-custom": "string?",
  tag: "string?",
  tags: "array?",
  "tags[]": "string",
  sending_ip: "string",
  ts_epoch: "integer",
  template_id: "integer?",
  mirror_link: "string",
  contact_id: "integer",
};
const failed: FieldTypes = { ...common, reason: "string" };
const read: FieldTypes = { ...common, link: "string", user_agent: "string", device_used: "string" };

/** Samples of the webhooks. */
export const eventSamples: EventSamples = {
  given: { token: "a-token" },
  verify: ({ headers }, { created }) => headers["authorization"] === `Bearer ${created.secret ?? ""}`,
  altered: (request) => ({
    token: { ...request, headers: { ...request.headers, authorization: "Bearer other" } },
    "no token": { ...request, headers: {} },
  }),
  signsBody: false,
  read: ({ body }) => {
    const members = JSON.parse(Buffer.from(body).toString("utf8")) as Readonly<Record<string, unknown>>;
    return [
      {
        members,
        type: String(members["event"]),
        recipient: String(members["email"]),
        mailId: String(members["message-id"]),
        tags: (members["tags"] ?? []) as readonly string[],
        metadata: {},
      },
    ];
  },
  fields: {
    processed: common,
    dropped: failed,
    deferred: failed,
    delivered: common,
    bounced: failed,
    opened: read,
    clicked: read,
    complained: common,
    unsubscribed: common,
  },
  showsTags: true,
  showsMetadata: false,
};
