/** SMS: https://developers.mailersend.com/api/v1/sms */
import { uuidOfDigits, digitsOfUuid } from "../formats/uuid.ts";
import { parsePhoneNumber } from "../../core/phone-number.ts";
import { countSegments } from "../../core/sms.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { smsLengthMax, type OutboundSms, type StoredSms } from "../sms.ts";
import { invalid, notFound, type Issue } from "./errors.ts";
import { readMailerSendObject, requiredText } from "./request.ts";
import { instantText, pageResponse, readPage } from "./response.ts";

const recipientCountMax = 50;

/** Sends an SMS to each of its numbers: `POST /sms`. The id of the response is that of the first one. */
export const sendSms: Handler = async (call) => {
  const { from, to, text, personalization } = readSms(call);
  const ids: string[] = [];
  for (const [at, number] of to.entries()) {
    const body = await renderText(text, personalization?.get(number) ?? null, call);
    const submission = await call.session.submitSms({ from, to: number, text: body, callback: null });
    if (submission.refusal === "unsubscribed") throw invalid([`to.${at}`, `The to.${at} recipient has opted out.`]);
    if (submission.refusal !== undefined)
      throw invalid([`to.${at}`, `No server receives SMS for the to.${at} number.`]);
    ids.push(digitsOfUuid(submission.id));
  }
  const contentType = "text/html; charset=UTF-8";
  return { status: 202, headers: { "X-SMS-Message-Id": ids[0] ?? "" }, body: { contentType, text: "" } };
};

async function renderText(text: string, data: JsonObject | null, { services }: Call): Promise<string> {
  if (data === null) return text;
  const compiled = onProblem(
    "invalid_request",
    services.renderTemplates({ language: "twig", sources: { text }, data }),
    () => {
      throw invalid(["text", "The value you provided in text failed to compile. #MS42213"]);
    },
  );
  return (await compiled)["text"] ?? "";
}

interface SmsRequest extends Omit<OutboundSms, "to"> {
  readonly to: readonly string[];
  /** Data of numbers; null when the request has none. */
  readonly personalization: ReadonlyMap<string, JsonObject> | null;
}

function readSms({ request }: Call): SmsRequest {
  const { from, to, text, personalization } = readMailerSendObject(request.body);
  const issues: Issue[] = [];
  const numberOf = (value: unknown, field: string): string => {
    const number = typeof value === "string" ? parsePhoneNumber(value) : undefined;
    if (number === undefined) issues.push([field, `The ${field} field contains an invalid number.`]);
    return number ?? "";
  };
  const sender = from === undefined ? "" : numberOf(from, "from");
  if (from === undefined) issues.push(["from", requiredText("from")]);
  const numbers = Array.isArray(to)
    ? to.slice(0, recipientCountMax + 1).map((one: unknown, at) => numberOf(one, `to.${at}`))
    : [];
  if (numbers.length === 0) issues.push(["to", requiredText("to")]);
  if (numbers.length > recipientCountMax)
    issues.push(["to", `The to must not have more than ${recipientCountMax} items.`]);
  if (typeof text !== "string" || text === "") issues.push(["text", requiredText("text")]);
  else if (text.length > smsLengthMax)
    issues.push(["text", `The text must not be greater than ${smsLengthMax} characters.`]);
  const data = Array.isArray(personalization) ? personalization.filter(isJsonObject) : [];
  const [first, ...others] = issues;
  if (first !== undefined) throw invalid(first, ...others);
  const byNumber = data.map(
    ({ phone_number: number, data: own }) => [String(number), isJsonObject(own) ? own : {}] as const,
  );
  return {
    from: sender,
    to: numbers,
    text: String(text),
    personalization: data.length === 0 ? null : new Map(byNumber),
  };
}

/** Lists SMS, newest first: `GET /sms-messages`. */
export const listSms: Handler = async ({ request, session }) => {
  const range = readPage(request);
  const anySms = { from: null, to: null, since: null, before: null };
  const { messages, hasMore } = await session.listSms({ ...anySms, page: range.page - 1, itemsPerPage: range.limit });
  return pageResponse(request, range, { items: messages.map(itemOf), hasMore });
};

/** Returns an SMS: `GET /sms-messages/:id`. */
export const getSms: Handler = async ({ request, session }) => {
  const sms = await onProblem("not_found", session.getSms(uuidOfDigits(request.params["id"] ?? "")), () => {
    throw notFound();
  });
  const { id, from, to, text, createdAt } = sms;
  const at = instantText(createdAt);
  const one = {
    id: digitsOfUuid(id),
    from,
    to,
    text,
    status: "delivered",
    segment_count: countSegments(text).segments,
    error_type: null,
    error_description: null,
  };
  const activity = { from, to, created_at: at, status: "delivered", sms_message_id: digitsOfUuid(id) };
  return jsonResponse(200, { data: { ...itemOf(sms), sms: [one], sms_activity: [activity] } });
};

function itemOf({ id, from, to, text, createdAt }: StoredSms): JsonObject {
  return { id: digitsOfUuid(id), from, to: [to], text, paused: false, created_at: instantText(createdAt) };
}
