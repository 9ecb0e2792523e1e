import { smsMediaCountMax } from "../../core/limits.ts";
import { parsePhoneNumber, parseSmsSender } from "../../core/phone-number.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { channelFact, isWebUrl, smsLengthMax, uninterpretedFields, type SmsFilter } from "../sms.ts";
import { readContentVariables } from "./content.ts";
import { checkMagicNumbers, rejection } from "./errors.ts";

/** Valid request to send a message. */
export interface TwilioSendRequest extends Ends {
  readonly text: string;
  /** http or https. */
  readonly statusCallback: string | null;
  readonly mediaUrls: readonly string[];
  readonly content: ReturnType<typeof readContent>;
  /** Fields that are only stored, by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Fields that are read; all others of a request are stored with the message. */
const readFields: ReadonlySet<string> = new Set(["To", "From", "Body", "MediaUrl", "StatusCallback"]);

/** The same for a request with a template. */
const contentFields: ReadonlySet<string> = new Set([...readFields, "ContentSid", "ContentVariables"]);

/**
 * Decodes the form of a request to send a message; throws the first error. Twilio's magic numbers cause the same errors as in
 * Twilio's API. A message with `MediaUrl` may have no text.
 */
export function readTwilioSend(form: FormFields): TwilioSendRequest {
  const ends = readEnds(form);
  const text = fieldOf(form, "Body") ?? "";
  const mediaUrls = readMedia(form);
  const content = readContent(form);
  if (text === "" && mediaUrls.length === 0 && content === null) throw rejection(21602);
  if (text.length > smsLengthMax) throw rejection(21617);
  const statusCallback = fieldOf(form, "StatusCallback") ?? null;
  if (statusCallback !== null && !isWebUrl(statusCallback)) throw rejection(21609, statusCallback);
  return { ...ends, text, statusCallback, mediaUrls, content, facts: factsOf(form, ends, content) };
}

function factsOf(form: FormFields, { channel }: Ends, content: ReturnType<typeof readContent>): Record<string, string> {
  const facts = uninterpretedFields(form, content === null ? readFields : contentFields);
  return channel === null ? facts : { ...facts, [channelFact]: channel };
}

function readMedia(form: FormFields): readonly string[] {
  const urls = form.flatMap(([name, value]) => (name === "MediaUrl" && value !== "" ? [value] : []));
  if (urls.length > smsMediaCountMax) throw rejection(21623);
  const invalid = urls.find((url) => !isWebUrl(url));
  if (invalid !== undefined) throw rejection(21620, invalid);
  return urls;
}

/** Returns the template of the Content API, and the values of its variables by number; null without one. */
function readContent(form: FormFields) {
  const sid = fieldOf(form, "ContentSid");
  const variables = readContentVariables(fieldOf(form, "ContentVariables"));
  if (variables === undefined) throw rejection(21656);
  return sid === undefined ? null : { sid, variables };
}

type Ends = ReturnType<typeof readEnds>;

/** Channels of Twilio beside SMS, before a number. */
const channelPattern = /^(whatsapp|rcs|messenger):(.*)$/s;

function splitChannel(text: string): readonly [channel: string | null, address: string] {
  const [, channel = null, address = text] = channelPattern.exec(text) ?? [];
  return [channel, address];
}

function readEnds(form: FormFields) {
  const toText = fieldOf(form, "To");
  const fromText = fieldOf(form, "From");
  const messagingServiceSid = fieldOf(form, "MessagingServiceSid") ?? null;
  if (toText === undefined) throw rejection(21604);
  const [channel, toAddress] = splitChannel(toText);
  const [fromChannel, fromAddress] = splitChannel(fromText ?? "");
  if (fromText !== undefined && channel !== fromChannel) throw rejection(21910);
  const from = fromText === undefined ? messagingServiceSid : parseSmsSender(fromAddress)?.value;
  if (from === null) throw rejection(21603);
  const to = parsePhoneNumber(toAddress);
  if (to === undefined) throw rejection(21211, toText);
  if (from === undefined) throw rejection(21212, fromText);
  checkMagicNumbers({ to, from });
  // `from` is the SID of the messaging service where that was given instead of a sender.
  return { to, from, messagingServiceSid, channel };
}

function numberOf(address: string | undefined): string | null {
  return address === undefined ? null : splitChannel(address)[1];
}

/** Page sizes of Twilio. */
const pageSizeDefault = 50;
const pageSizeMax = 1000;
const dayMs = 24 * 3_600_000;

/** Decodes the filter and the page of a list request; like Twilio, treats invalid values as absent. */
export function readTwilioList(fields: FormFields): SmsFilter {
  const number = (name: string, absent: number): number => {
    const text = fieldOf(fields, name) ?? "";
    return /^\d{1,6}$/.test(text) ? Number(text) : absent;
  };
  const instant = (name: string): number | null => readIsoInstant(fieldOf(fields, name) ?? "") ?? null;
  // The whole day in UTC; the official libraries send an instant of that day.
  const within = instant("DateSent");
  const day = within === null ? null : within - (within % dayMs);
  return {
    from: numberOf(fieldOf(fields, "From")),
    to: numberOf(fieldOf(fields, "To")),
    since: day ?? instant("DateSent>"),
    before: day === null ? instant("DateSent<") : day + dayMs,
    page: number("Page", 0),
    itemsPerPage: Math.min(pageSizeMax, Math.max(1, number("PageSize", pageSizeDefault))),
  };
}
