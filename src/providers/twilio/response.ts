import { countSegments } from "../../core/sms.ts";
import type { FormFields } from "../../core/read-form.ts";
import { writeForm } from "../formats/form.ts";
import { apiVersion, inChannel, type TwilioMessage } from "./message.ts";

/** Returns the JSON resource of a message. */
export function twilioMessageResource(message: TwilioMessage): Readonly<Record<string, unknown>> {
  const { sid, accountSid, status } = message;
  const uri = `/${apiVersion}/Accounts/${accountSid}/Messages/${sid}`;
  const date = new Date(message.createdAt).toUTCString().replace("GMT", "+0000");
  return {
    account_sid: accountSid,
    api_version: apiVersion,
    body: message.text,
    date_created: date,
    date_sent: status === "queued" ? null : date,
    date_updated: date,
    direction: "outbound-api",
    error_code: null,
    error_message: null,
    from: inChannel(message.channel, message.from),
    messaging_service_sid: message.messagingServiceSid,
    num_media: String(message.media.length),
    num_segments: String(countSegments(message.text).segments),
    price: null,
    price_unit: "USD",
    sid,
    status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: inChannel(message.channel, message.to),
    uri: `${uri}.json`,
  };
}

/** Position of a page in a list. */
export interface TwilioPage {
  readonly accountSid: string;
  /** Starts at 0. */
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
  /** Query of the request, which the links to other pages repeat. */
  readonly query: FormFields;
}

/** Returns the JSON of a page of messages. */
export function twilioMessagePage(
  messages: readonly TwilioMessage[],
  { accountSid, page, pageSize, hasMore, query }: TwilioPage,
): Readonly<Record<string, unknown>> {
  const filters = query.filter(([name]) => name !== "Page" && name !== "PageSize");
  const uriOf = (number: number): string => {
    const parameters = writeForm([...filters, ["PageSize", String(pageSize)], ["Page", String(number)]]);
    return `/${apiVersion}/Accounts/${accountSid}/Messages.json?${parameters}`;
  };
  const start = page * pageSize;
  return {
    end: start + Math.max(0, messages.length - 1),
    first_page_uri: uriOf(0),
    messages: messages.map(twilioMessageResource),
    next_page_uri: hasMore ? uriOf(page + 1) : null,
    page,
    page_size: pageSize,
    previous_page_uri: page === 0 ? null : uriOf(page - 1),
    start,
    uri: uriOf(page),
  };
}
