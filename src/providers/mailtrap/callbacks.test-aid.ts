/** Samples of Mailtrap's webhooks. */
import { verifyWebhookSignature } from "mailtrap";
import type { EventSamples } from "../conformance/callback-samples.test-aid.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const common: FieldTypes = {
  event: "string",
  timestamp: "integer",
  sending_stream: "string",
  category: "string?",
  custom_variables: "map?",
  message_id: "string",
  email: "string",
  event_id: "string",
  sending_domain_name: "string",
};
const bounced: FieldTypes = { ...common, response: "string", response_code: "integer", bounce_category: "string" };
const read: FieldTypes = { ...common, ip: "string", user_agent: "string" };

interface Event {
  readonly event: string;
  readonly email: string;
  readonly message_id: string;
  readonly category?: string;
  readonly custom_variables?: Readonly<Record<string, unknown>>;
}

/** Samples of the webhooks. */
export const eventSamples: EventSamples = {
  given: { secret: "0123456789abcdef0123456789abcdef" },
  verify: ({ body, headers }, { created }) =>
    verifyWebhookSignature(Buffer.from(body), headers["Mailtrap-Signature"] ?? "", created.secret ?? ""),
  altered: (request) => ({
    signature: { ...request, headers: { ...request.headers, "Mailtrap-Signature": "0".repeat(64) } },
    "no signature": { ...request, headers: {} },
  }),
  signsBody: true,
  read: ({ body }) => {
    const { events } = JSON.parse(Buffer.from(body).toString("utf8")) as { events: readonly Event[] };
    return events.map((members) => {
      const { event: type, email: recipient, message_id: mailId, category, custom_variables: metadata = {} } = members;
      return { members, type, recipient, mailId, tags: category === undefined ? [] : [category], metadata };
    });
  },
  fields: {
    dropped: { ...common, reason: "string" },
    deferred: bounced,
    delivered: common,
    bounced,
    opened: read,
    clicked: { ...read, url: "string" },
    complained: common,
    unsubscribed: read,
  },
  showsTags: true,
  showsMetadata: true,
};
