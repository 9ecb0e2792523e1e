/** Samples of Mailjet's Event API. */
import type { EventSamples } from "../conformance/callback-samples.test-aid.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const common: FieldTypes = {
  event: "string",
  time: "integer",
  MessageID: "integer",
  Message_GUID: "string",
  email: "string",
  mj_campaign_id: "integer",
  mj_contact_id: "integer",
  customcampaign: "string",
  CustomID: "string",
  Payload: "string",
};
const client: FieldTypes = { ip: "string", geo: "string", agent: "string" };
const failed: FieldTypes = { error_related_to: "string", error: "string" };

/** Samples of the events. */
export const eventSamples: EventSamples = {
  given: { basicAuth: "user:pass:word" },
  verify: ({ headers }, { created }) =>
    headers["authorization"] === `Basic ${Buffer.from(created.secret ?? "").toString("base64")}`,
  altered: (request) => ({
    password: { ...request, headers: { ...request.headers, authorization: `Basic ${btoa("user:other")}` } },
    "no credentials": { ...request, headers: {} },
  }),
  signsBody: false,
  read: ({ body }) =>
    (JSON.parse(Buffer.from(body).toString("utf8")) as readonly Readonly<Record<string, unknown>>[]).map((members) => ({
      members,
      type: String(members["event"]),
      recipient: String(members["email"]),
      mailId: String(members["Message_GUID"]),
      tags: members["customcampaign"] === "" ? [] : [String(members["customcampaign"])],
      metadata: {},
    })),
  fields: {
    dropped: { ...common, ...failed },
    delivered: { ...common, mj_message_id: "string", smtp_reply: "string" },
    bounced: { ...common, ...failed, blocked: "boolean", hard_bounce: "boolean", comment: "string" },
    opened: { ...common, ...client },
    clicked: { ...common, ...client, url: "string" },
    complained: { ...common, source: "string" },
    unsubscribed: { ...common, ...client, mj_list_id: "integer" },
  },
  showsTags: true,
  showsMetadata: false,
};
