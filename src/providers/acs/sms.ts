/** SMS: https://learn.microsoft.com/rest/api/communication/sms/sms/send */
import { randomUUID } from "node:crypto";
import { parsePhoneNumber, parseSmsSender } from "../../core/phone-number.ts";
import { plainText, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { smsLengthMax, uninterpretedFields, type Submission, type SubmittedSms } from "../sms.ts";
import { errors } from "./errors.ts";
import { isRepeatabilityId, membersOf, readAcsBody, smsIdOf } from "./request.ts";

const recipientCountMax = 100;

/** Message to several recipients. */
interface Message {
  readonly from: string;
  readonly text: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Recipient of a message, and the id by which it is sent once; null for none. */
interface Recipient {
  readonly to: string;
  readonly repeatability: string | null;
}

/** Sends an SMS to each recipient: `POST /sms`. The response has a result for each, in order. */
export const sendSms: Handler = async (call) => {
  const { message, recipients } = readSms(readAcsBody(call.request.body));
  const value: JsonObject[] = [];
  for (const recipient of recipients) value.push(await sendTo(call, message, recipient));
  return jsonResponse(202, { value });
};

function readSms(body: JsonObject): { readonly message: Message; readonly recipients: readonly Recipient[] } {
  const members = membersOf(body);
  const sender = members.text("from");
  if (sender === null || sender === "") throw errors.missing("from");
  const from = parseSmsSender(sender)?.value;
  if (from === undefined) throw errors.invalid("from", "Invalid From phone number format.");
  const recipients = members.objects("smsRecipients").map((one) => ({
    to: one.text("to") ?? "",
    repeatability: one.text("repeatabilityRequestId"),
  }));
  if (recipients.length === 0) throw errors.missing("smsRecipients");
  if (recipients.length > recipientCountMax) {
    throw errors.invalid("smsRecipients", `The number of recipients exceeds ${recipientCountMax}.`);
  }
  const text = members.text("message") ?? "";
  if (text === "") throw errors.missing("message");
  if (text.length > smsLengthMax) throw errors.invalid("message", `The message exceeds ${smsLengthMax} characters.`);
  const facts = Object.entries(members.object("smsSendOptions") ?? {}).map(
    ([name, one]) => [name, factOf(one)] as const,
  );
  return { message: { from, text, metadata: uninterpretedFields(facts, new Set()) }, recipients };
}

/** An option that is false or absent is no fact. */
function factOf(value: unknown): string {
  if (value === null || value === false) return "";
  return plainText(value);
}

async function sendTo(call: Call, message: Message, recipient: Recipient): Promise<JsonObject> {
  const { to: given, repeatability } = recipient;
  const to = parsePhoneNumber(given);
  if (to === undefined) return failed(given, "Invalid To phone number format.");
  const { session, services } = call;
  const now = services.now();
  const sms: SubmittedSms = { ...message, to, callback: null, providerIdOf: (uuid) => smsIdOf("Outgoing", uuid, now) };
  const send = async (): Promise<JsonObject> => resultOf(await session.submitSms(sms), { to: given, now });
  if (repeatability === null) return send();
  if (!isRepeatabilityId(repeatability)) return failed(given, "Invalid repeatabilityRequestId.");
  // Only results with a status of 2xx are kept, by the name of the member of responses.
  const kept = async (): Promise<Kept> => {
    const result = await send();
    return { status: Number(result["httpStatusCode"]), result };
  };
  const once = session.once<Kept>(`sms ${repeatability}`, { ...message, to }, kept);
  return onProblem(
    "conflict",
    once.then(({ result }) => result),
    () => failed(given, "The repeatabilityRequestId was used with another message."),
  );
}

interface Kept {
  readonly status: number;
  readonly result: JsonObject;
}

function resultOf(submission: Submission, { to, now }: { readonly to: string; readonly now: number }): JsonObject {
  if (submission.refusal === "no_server") return failed(to, "No server receives SMS for the number.");
  // The API accepts SMS to numbers that have opted out; they are not delivered.
  const messageId = submission.refusal === undefined ? submission.id : randomUUID();
  return {
    to,
    messageId: smsIdOf("Outgoing", messageId, now),
    httpStatusCode: 202,
    repeatabilityResult: "accepted",
    successful: true,
  };
}

function failed(to: string, errorMessage: string): JsonObject {
  return { to, httpStatusCode: 400, repeatabilityResult: "rejected", errorMessage, successful: false };
}
