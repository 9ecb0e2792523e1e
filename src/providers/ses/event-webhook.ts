/** Events of Amazon SES, which arrive as notifications of Amazon SNS. */
import { jsonBody } from "../formats/callback-values.ts";
import { mailEventTypes, type EventWebhooks } from "../callbacks.ts";
import { confirmationRequest, forgeRequest, notificationRequest } from "../sns/envelope.ts";
import { createTopicSecrets, mustConfirm, topicSettings, topicSettingsOf } from "../sns/topic-settings.ts";
import { outcomeOfTestAddress } from "../test-address.ts";
import { feedbackRecord, feedbackTypes, publishedRecord } from "./event-record.ts";

const publishedSubject = "Amazon SES Email Event Notification";

/** https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html, section on the mailbox simulator. */
const outcomes = {
  success: [{ type: "processed" }, { type: "delivered" }],
  bounce: [{ type: "processed" }, { type: "bounced" }],
  ooto: [{ type: "processed" }, { type: "delivered" }],
  complaint: [{ type: "processed" }, { type: "delivered" }, { type: "complained" }],
  suppressionlist: [{ type: "processed" }, { type: "bounced", details: { bounce: "blocked" } }],
} as const;

/** Events of Amazon SES. */
export const sesEvents: EventWebhooks = {
  types: mailEventTypes,
  typesOf: ({ format }) => (format === "feedback" ? feedbackTypes : mailEventTypes),
  automatic: ["processed", "delivered"],
  batchCountMax: 1,
  settings: [
    {
      name: "format",
      description:
        "`events` sends records of a configuration set's event destination (`eventType`), `feedback` the notifications of an " +
        "identity (`notificationType`), which exist for deliveries, bounces and complaints",
      isSecret: false,
      values: ["events", "feedback"],
    },
    ...topicSettings,
  ],
  verification: "Verify the signature of the Amazon SNS message with the certificate of its SigningCertURL.",
  createSecrets: createTopicSecrets,
  render: ([event], signing) => {
    if (event === undefined) throw new RangeError("No event to render");
    const { region } = topicSettingsOf(signing);
    const isFeedback = signing.options["format"] === "feedback";
    const record = isFeedback ? feedbackRecord(event, region) : publishedRecord(event, region);
    return notificationRequest(
      {
        messageId: event.id,
        subject: isFeedback ? null : publishedSubject,
        // Records of event publishing end with a line feed.
        message: `${Buffer.from(jsonBody(record)).toString("utf8")}${isFeedback ? "" : "\n"}`,
      },
      signing,
    );
  },
  forge: forgeRequest,
  confirmation: confirmationRequest,
  mustConfirm,
  outcomeOf: (recipient) => outcomeOfTestAddress(recipient, "simulator.amazonses.com", outcomes),
};
