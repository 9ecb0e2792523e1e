import { digitsOfUuid } from "../formats/uuid.ts";
import { parsePhoneNumber, parseSmsSender } from "../../core/phone-number.ts";
import { countSegments } from "../../core/sms.ts";
import { isAbsent, plainText, type JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { jsonResponse } from "../provider.ts";
import { smsLengthMax, uninterpretedFields, type OutboundSms, type SubmittedSms } from "../sms.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { readBrevoBody } from "./request.ts";

/** Sends an SMS: `POST /v3/transactionalSMS/sms` and `…/send`. `reference` is the UUID of the message. */
export const sendSms: Handler = async ({ request, session }) => {
  const sms = readSms(readBrevoBody(request.body));
  const submission = await session.submitSms({ ...sms, callback: null });
  if (submission.refusal === "unsubscribed") throw invalid("recipient is blacklisted");
  if (submission.refusal !== undefined) throw invalid("No server receives SMS for the recipient");
  const { segments } = countSegments(sms.text);
  const shown = { messageId: numberOf(submission.id), reference: submission.id };
  return jsonResponse(201, { ...shown, smsCount: segments, usedCredits: segments, remainingCredits: 1000 });
};

/** Members that are read; all others are stored with the message. */
const readMembers: ReadonlySet<string> = new Set(["sender", "recipient", "content", "organisationPrefix"]);

function readSms(body: JsonObject): OutboundSms & Pick<SubmittedSms, "metadata"> {
  const { sender, recipient, content } = body;
  if (isAbsent(sender)) throw missing("sender");
  if (isAbsent(recipient)) throw missing("recipient");
  if (isAbsent(content) || content === "") {
    throw rejection("missing_parameter", "One of content or templateId is mandatory");
  }
  const from = typeof sender === "string" ? parseSmsSender(sender)?.value : undefined;
  if (from === undefined) throw invalid("Invalid sender name");
  const number = typeof recipient === "string" || typeof recipient === "number" ? String(recipient) : "";
  const to = parsePhoneNumber(number.startsWith("+") ? number : `+${number}`);
  if (to === undefined) throw invalid("Invalid telephone number");
  const facts = Object.entries(body).map(([name, value]) => [name, factOf(value)] as const);
  const metadata = uninterpretedFields(facts, readMembers);
  return { from, to, text: readText(content, body["organisationPrefix"]), metadata };
}

function factOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return plainText(value);
}

function readText(content: unknown, prefix: unknown): string {
  const text = typeof content === "string" ? `${typeof prefix === "string" ? `${prefix} ` : ""}${content}` : "";
  if (text === "" || text.length > smsLengthMax) throw invalid("content is not valid");
  return text;
}

/** Returns a number that every JSON parser reads exactly: 52 bits of the UUID's end, where ids differ most. */
function numberOf(uuid: string): number {
  return Number.parseInt(digitsOfUuid(uuid).slice(-13), 16);
}
