/** Requests to publish a message. */
import { parsePhoneNumber, parseSmsSender, type PhoneNumber } from "../../core/phone-number.ts";
import { objectAt, objectsAt, requiredText, textAt } from "../formats/aws-members.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { smsLengthMax, uninterpretedFields } from "../sms.ts";
import { invalidParameter } from "./errors.ts";

/** Message to publish as an SMS. */
export interface Publication {
  readonly target: { readonly phoneNumber: PhoneNumber } | { readonly topicArn: string };
  readonly text: string;
  /** Origination number or sender id; null: that of the account. */
  readonly sender: string | null;
  /** Subject, message attributes and other parameters that are only stored, by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Parameters that are read, and those of every action; all other texts are stored with the message. */
const readParameters: ReadonlySet<string> = new Set(
  `Action Version AWSAccessKeyId Signature SignatureMethod SignatureVersion Timestamp
   Message PhoneNumber TopicArn TargetArn MessageAttributes`.split(/\s+/),
);

const attributePrefix = "AWS.SNS.SMS.";
const originationNumber = "AWS.MM.SMS.OriginationNumber";
const subjectLengthMax = 100;

/** Types of SMS. */
export const smsTypes: ReadonlySet<string> = new Set(["Promotional", "Transactional"]);

/** Returns the message of a `Publish` request; throws `InvalidParameter`. */
export function readPublication(request: JsonObject): Publication {
  const message = requiredText(request, "Message", "");
  const target = readTarget(request);
  checkSubject(textAt(request, "Subject"));
  const text = smsTextOf(message, textAt(request, "MessageStructure"));
  if (text === "") throw invalidParameter("Empty message");
  if (text.length > smsLengthMax) throw invalidParameter("Message too long");
  const attributes = readAttributes(request);
  const parameters = Object.entries(request).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  const facts = { ...uninterpretedFields(parameters, readParameters), ...Object.fromEntries(attributes) };
  return { target, text, sender: readSender(attributes), facts };
}

function readTarget(request: JsonObject): Publication["target"] {
  const phoneNumber = textAt(request, "PhoneNumber");
  const topicArn = textAt(request, "TopicArn") ?? textAt(request, "TargetArn");
  if (phoneNumber !== null && topicArn !== null) {
    throw invalidParameter("Only one of TopicArn, TargetArn and PhoneNumber can be specified");
  }
  if (phoneNumber !== null) return { phoneNumber: phoneNumberOf(phoneNumber) };
  if (topicArn === null || topicArn === "") {
    throw invalidParameter("TopicArn or TargetArn Reason: no value for required parameter");
  }
  return { topicArn };
}

/** Returns a phone number in E.164; throws `InvalidParameter`. */
export function phoneNumberOf(text: string): PhoneNumber {
  const number = parsePhoneNumber(text);
  if (number === undefined) throw notPublishable(text);
  return number;
}

/** Returns the error for a number to which nothing can be published. */
export function notPublishable(phoneNumber: string): ReturnType<typeof invalidParameter> {
  return invalidParameter(`PhoneNumber Reason: ${phoneNumber.slice(0, 100)} is not valid to publish to`);
}

function checkSubject(subject: string | null): void {
  if (subject === null) return;
  if (subject === "" || subject.length > subjectLengthMax || /\p{Cc}/u.test(subject)) throw invalidParameter("Subject");
}

/** Returns the text for SMS: the message, or the member `sms` or `default` of a message in JSON. */
function smsTextOf(message: string, structure: string | null): string {
  if (structure !== "json") return message;
  const value = readJsonObject(message);
  if (value === undefined) throw invalidParameter("Message Structure - JSON message body failed to parse");
  const { sms, default: fallback } = value;
  if (typeof fallback !== "string") throw invalidParameter("Message Structure - No default entry in JSON message body");
  return typeof sms === "string" ? sms : fallback;
}

type Attributes = ReadonlyMap<string, string>;

function readAttributes(request: JsonObject): Attributes {
  return new Map(
    objectsAt(request, "MessageAttributes").map((entry) => {
      const name = requiredText(entry, "Name", "messageAttributes");
      return [name, valueOf(objectAt(entry, "Value") ?? {})] as const;
    }),
  );
}

/** Returns the value of an attribute; a binary one in base64. */
function valueOf(value: JsonObject): string {
  return textAt(value, "StringValue") ?? textAt(value, "BinaryValue") ?? "";
}

function readSender(attributes: Attributes): string | null {
  const type = attributes.get(`${attributePrefix}SMSType`);
  if (type !== undefined && !smsTypes.has(type)) throw invalidParameter("SMSType");
  const maxPrice = attributes.get(`${attributePrefix}MaxPrice`);
  if (maxPrice !== undefined && !/^\d{1,9}(?:\.\d{1,9})?$/.test(maxPrice)) throw invalidParameter("MaxPrice");
  const senderId = attributes.get(`${attributePrefix}SenderID`);
  if (senderId !== undefined && !isSenderId(senderId)) throw invalidParameter("SenderID");
  const number = attributes.get(originationNumber);
  if (number !== undefined && parseSmsSender(number) === undefined) throw invalidParameter("OriginationNumber");
  return number ?? senderId ?? null;
}

/** Returns whether a text is a sender id: 1 to 11 letters, digits and hyphens, at least one letter. */
export function isSenderId(text: string): boolean {
  return /^(?=.*[A-Za-z])[A-Za-z0-9-]{1,11}$/.test(text);
}
