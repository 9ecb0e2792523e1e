/** Samples of events by Azure Event Grid. Nothing is signed: a receiver compares the header field of the delivery property. */
import { EventGridDeserializer, isSystemEvent } from "@azure/eventgrid";
import type { EventSamples } from "../conformance/callback-samples.test-aid.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const envelope: FieldTypes = {
  id: "string",
  topic: "string",
  subject: "string",
  eventType: "string",
  eventTime: "string",
  dataVersion: "string",
  metadataVersion: "string",
  data: "object",
  "data.sender": "string",
  "data.recipient": "string",
  "data.messageId": "string",
};

const report: FieldTypes = {
  ...envelope,
  "data.internetMessageId": "string",
  "data.status": "string",
  "data.deliveryStatusDetails": "object",
  "data.deliveryStatusDetails.statusMessage": "string",
  "data.deliveryStatusDetails.recipientMailServerHostName": "string",
  "data.deliveryAttemptTimeStamp": "string",
};

const engagement: FieldTypes = {
  ...envelope,
  "data.userActionTimeStamp": "string",
  "data.engagementContext": "string",
  "data.userAgent": "string",
  "data.engagementType": "string",
};

interface Wire {
  readonly eventType: string;
  readonly data: { readonly recipient: string; readonly messageId: string };
}

const header = "x-webhook-key";

/** Samples of the events. */
export const eventSamples: EventSamples = {
  given: { header: `${header}: 0123456789abcdef` },
  verify: async ({ headers, body }, { created }) => {
    const [event] = await new EventGridDeserializer().deserializeEventGridEvents(Buffer.from(body).toString("utf8"));
    const isKnown =
      event !== undefined &&
      (isSystemEvent("Microsoft.Communication.EmailDeliveryReportReceived", event) ||
        isSystemEvent("Microsoft.Communication.EmailEngagementTrackingReportReceived", event));
    const sent = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
    return (
      isKnown && headers["aeg-event-type"] === "Notification" && sent.includes((created.secret ?? "").toLowerCase())
    );
  },
  altered: (request) => ({
    secret: { ...request, headers: { ...request.headers, [header]: "fedcba9876543210" } },
    type: { ...request, headers: { ...request.headers, "aeg-event-type": "SubscriptionValidation" } },
  }),
  signsBody: false,
  read: ({ body }) => {
    const events = JSON.parse(Buffer.from(body).toString("utf8")) as readonly Wire[];
    return events.map((members) => {
      const { recipient, messageId } = members.data;
      return { members, type: members.eventType, recipient, mailId: messageId, tags: [], metadata: {} };
    });
  },
  fields: { dropped: report, delivered: report, bounced: report, opened: engagement, clicked: engagement },
  showsTags: false,
  showsMetadata: false,
};
