/** Events about SMS: https://learn.microsoft.com/azure/event-grid/communication-services-telephony-sms-events */
import { countSegments } from "../../core/sms.ts";
import type { EventSms, SmsEvent, SmsEvents } from "../callbacks.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { eventRequest, instantText } from "./event-grid.ts";
import { smsIdOf } from "./sms-id.ts";

/** Events about SMS, as Azure Event Grid delivers them. */
export const acsSmsEvents: SmsEvents = {
  types: ["delivered", "received"],
  isReported: ({ metadata }) => metadata["enableDeliveryReport"] === "true",
  render: (event, signing) => {
    const { type, at, sms, id } = event;
    const isReport = type === "delivered";
    const subject = `/phonenumber/${digitsOf(isReport ? sms.from : sms.to)}`;
    const name = isReport ? "SMSDeliveryReportReceived" : "SMSReceived";
    const data = isReport ? reportOf(event) : receivedOf(event);
    return eventRequest({ id, at, subject, type: `Microsoft.Communication.${name}`, data }, signing);
  },
};

function reportOf({ sms, at }: SmsEvent): JsonObject {
  const { tag } = sms.metadata;
  return {
    messageId: sms.providerId,
    from: digitsOf(sms.from),
    to: sms.to,
    deliveryStatus: "Delivered",
    deliveryStatusDetails: "No error.",
    receivedTimestamp: instantText(at),
    deliveryAttempts: [{ timestamp: instantText(at), segmentsSucceeded: segmentsOf(sms), segmentsFailed: 0 }],
    ...(tag !== undefined && { tag }),
  };
}

function receivedOf({ sms, at }: SmsEvent): JsonObject {
  return {
    messageId: smsIdOf("Incoming", sms.id, at),
    from: digitsOf(sms.from),
    to: digitsOf(sms.to),
    message: sms.text,
    receivedTimestamp: instantText(at),
    segmentCount: segmentsOf(sms),
  };
}

function digitsOf(number: string): string {
  return number.replace(/^\+/, "");
}

function segmentsOf({ text }: EventSms): number {
  return countSegments(text).segments;
}
