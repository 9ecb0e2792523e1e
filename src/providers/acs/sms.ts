/** SMS: https://learn.microsoft.com/rest/api/communication/sms/sms/send */
import { randomUUID } from "node:crypto";
import { parsePhoneNumber, parseSmsSender } from "../../core/phone-number.ts";
import { plainText, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { smsLengthMax, uninterpretedFields, type Submission, type SubmittedSms } from "../sms.ts";
import { errors } from "./errors.ts";
import { isRepeatabilityId, membersOf, readAcsBody, required, smsIdOf } from "./request.ts";

const recipientCountMax = 100;

/** Sends an SMS to each recipient: `POST /sms`. The response has a result for each, in order. */
export const sendSms: Handler = async (call) => {
  const { message, recipients } = readSms(readAcsBody(call.request.body));
  const value: JsonObject[] = [];
  for (const recipient of recipients) value.push(await sendTo(call, message, recipient));
  return jsonResponse(202, { value });
};

type Sms = ReturnType<typeof readSms>;

function readSms(body: JsonObject) {
  const members = membersOf(body);
  const from = parseSmsSender(required(members, "from"))?.value;
  if (from === undefined) throw errors.invalid("from", "Invalid From phone number format.");
  const recipients = members.objects("smsRecipients").map((one) => ({
    to: one.text("to") ?? "",
    repeatability: one.text("repeatabilityRequestId"),
  }));
  if (recipients.length === 0) throw errors.missing("smsRecipients");
  if (recipients.length > recipientCountMax) {
    throw errors.invalid("smsRecipients", `The number of recipients exceeds ${recipientCountMax}.`);
  }
  const text = required(members, "message");
  if (text.length > smsLengthMax) throw errors.invalid("message", `The message exceeds ${smsLengthMax} characters.`);
  const options = Object.entries(members.object("smsSendOptions") ?? {});
  const facts = options.map(([name, one]) => [name, factOf(one)] as const);
  return { message: { from, text, metadata: uninterpretedFields(facts, new Set()) }, recipients };
}

/** An option that is false or absent is no fact. */
function factOf(value: unknown): string {
  if (value === null || value === false) return "";
  return plainText(value);
}

async function sendTo(
  { session, services }: Call,
  message: Sms["message"],
  { to: given, repeatability }: Sms["recipients"][number],
): Promise<JsonObject> {
  const to = parsePhoneNumber(given);
  if (to === undefined) return failed(given, "Invalid To phone number format.");
  const now = services.now();
  const sms: SubmittedSms = { ...message, to, callback: null, providerIdOf: (uuid) => smsIdOf("Outgoing", uuid, now) };
  const send = async (): Promise<JsonObject> => resultOf(await session.submitSms(sms), { to: given, now });
  if (repeatability === null) return send();
  if (!isRepeatabilityId(repeatability)) return failed(given, "Invalid repeatabilityRequestId.");
  // Only results with a status of 2xx are kept, by the name of the member of responses.
  const kept = session.once(`sms ${repeatability}`, { ...message, to }, async () => {
    const result = await send();
    return { status: Number(result["httpStatusCode"]), result };
  });
  const reused = (): JsonObject => failed(given, "The repeatabilityRequestId was used with another message.");
  return onProblem(
    "conflict",
    kept.then(({ result }) => result),
    reused,
  );
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
