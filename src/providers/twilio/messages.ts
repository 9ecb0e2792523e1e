/** Messages: sending, reading, lists and media. */
import { digitsOfUuid } from "../formats/uuid.ts";
import { notFound, Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse, type ProviderRequest } from "../provider.ts";
import { channelFact, type StatusCallback, type StoredSms } from "../sms.ts";
import { renderContent } from "./content.ts";
import { refusalCodes, rejection } from "./errors.ts";
import {
  apiVersion,
  twilioMessagePage,
  twilioMessageResource,
  twilioSid,
  twilioStatusCalls,
  uuidOfSid,
} from "./message.ts";
import type { TwilioMessage } from "./message.ts";
import { readTwilioList, readTwilioSend, type TwilioSendRequest } from "./request.ts";

/** Sends a message: `POST /2010-04-01/Accounts/:account/Messages.json`. */
export const sendMessage: Handler = async ({ request, session }) => {
  const message = readTwilioSend(request.form);
  const { text, mediaUrls, template } = await renderContent(session, message);
  const { to, statusCallback, facts: metadata } = message;
  const from = /^MG[0-9a-f]{32}$/i.test(message.from) ? "restante" : message.from;
  const sent = { ...message, text, mediaUrls };
  const callback = statusCallback === null ? null : callbackOf(request, sent, statusCallback);
  const providerIdOf = (one: MessageId): string => twilioSid(prefixOf(mediaUrls), one);
  const sms = { from, to, text, callback, providerIdOf, metadata, mediaUrls, template };
  const { id, refusal } = { id: undefined, ...(await session.submitSms(sms)) };
  if (id === undefined) throw rejection(refusalCodes[refusal], refusal === "callback" ? (statusCallback ?? "") : to);
  return jsonResponse(201, twilioMessageResource(queuedMessage(request, sent, id)));
};

/** Returns a message: `GET /2010-04-01/Accounts/:account/Messages/:id.json`. */
export const getMessage: Handler = async (call) =>
  jsonResponse(200, twilioMessageResource(deliveredMessage(call.request, await openSms(call))));

/** Lists messages, newest first: `GET /2010-04-01/Accounts/:account/Messages.json`. */
export const listMessages: Handler = async ({ request, session }) => {
  const filter = readTwilioList(request.fields);
  const { messages, hasMore } = await session.listSms(filter);
  const shown = messages.map((sms) => deliveredMessage(request, sms));
  const { page, itemsPerPage: pageSize } = filter;
  const accountSid = accountOf(request);
  return jsonResponse(200, twilioMessagePage(shown, { accountSid, page, pageSize, hasMore, query: request.fields }));
};

async function openSms({ request, session }: Call): Promise<StoredSms> {
  return session.getSms(uuidOfSid(request.params["id"] ?? ""));
}

/** Returns the account SID of the path, which the caller chooses freely. */
function accountOf({ path }: Pick<ProviderRequest, "path">): string {
  return path.split("/")[3] ?? "";
}

/** Callbacks are signed with the auth token as the application knows it: the API key of its request. */
function callbackOf(request: ProviderRequest, message: TwilioSendRequest, url: string): StatusCallback {
  const token = request.key;
  if (token === null) throw new Problem("unauthenticated");
  return { url, calls: (id) => twilioStatusCalls(queuedMessage(request, message, id), url, token) };
}

function queuedMessage(request: ProviderRequest, message: TwilioSendRequest, id: MessageId): TwilioMessage {
  const { from, to, text, messagingServiceSid, channel, mediaUrls } = message;
  return {
    sid: twilioSid(prefixOf(mediaUrls), id),
    accountSid: accountOf(request),
    from,
    to,
    text,
    createdAt: decodeMessageId(id).receivedAt,
    status: "queued",
    messagingServiceSid,
    channel,
    media: mediaUrls.map((url) => ({ url, attachment: null })),
  };
}

function deliveredMessage(request: ProviderRequest, sms: StoredSms): TwilioMessage {
  const { id, from, to, text, createdAt, metadata, media } = sms;
  return {
    sid: twilioSid(prefixOf(media), id),
    accountSid: accountOf(request),
    messagingServiceSid: metadata["MessagingServiceSid"] ?? null,
    from,
    to,
    text,
    createdAt,
    status: "delivered",
    channel: metadata[channelFact] ?? null,
    media,
  };
}

function prefixOf(media: readonly unknown[]): "SM" | "MM" {
  return media.length > 0 ? "MM" : "SM";
}

/** Returns the SID of media: that of its message, with the position in place of the last two digits. */
function mediaSid({ id }: StoredSms, at: number): string {
  return `ME${digitsOfUuid(id).slice(0, -2)}${at.toString(16).padStart(2, "0")}`;
}

function mediaResource(request: ProviderRequest, sms: StoredSms, at: number): Readonly<Record<string, unknown>> {
  const sid = mediaSid(sms, at);
  const date = new Date(sms.createdAt).toUTCString().replace("GMT", "+0000");
  const parent = request.params["id"] ?? "";
  return {
    sid,
    account_sid: accountOf(request),
    parent_sid: parent,
    content_type: sms.media[at]?.attachment?.contentType ?? "application/octet-stream",
    date_created: date,
    date_updated: date,
    uri: `/${apiVersion}/Accounts/${accountOf(request)}/Messages/${parent}/Media/${sid}.json`,
  };
}

/** Lists the media of a message: `GET …/Messages/:id/Media.json`. */
export const listMedia: Handler = async (call) => {
  const { request } = call;
  const sms = await openSms(call);
  const uri = `/${apiVersion}/Accounts/${accountOf(request)}/Messages/${request.params["id"] ?? ""}/Media.json`;
  const media_list = sms.media.map((_, at) => mediaResource(request, sms, at));
  const page = { page: 0, page_size: 50, start: 0, end: Math.max(0, media_list.length - 1) };
  const uris = { first_page_uri: `${uri}?PageSize=50&Page=0`, next_page_uri: null, previous_page_uri: null, uri };
  return jsonResponse(200, { media_list, ...page, ...uris });
};

/**
 * Returns media, `GET …/Messages/:id/Media/:sid.json`, or its content, without `.json`. Media that was not fetched is a
 * redirect to its URL.
 */
export const getMedia: Handler = async (call) => {
  const { request, session } = call;
  const sms = await openSms(call);
  const [, sid = "", json] = /^(ME[0-9a-f]{32})(\.json)?$/.exec(request.params["media"] ?? "") ?? [];
  const at = sms.media.findIndex((_, index) => mediaSid(sms, index) === sid);
  const media = sms.media[at];
  if (media === undefined) throw notFound("Attachment");
  if (json !== undefined) return jsonResponse(200, mediaResource(request, sms, at));
  const { url, attachment } = media;
  if (attachment === null) return { status: 307, headers: { location: url }, body: null };
  const headers = { "content-disposition": "attachment", "x-content-type-options": "nosniff" };
  const bytes = await session.getMedia(attachment.id);
  return { status: 200, headers, body: { contentType: attachment.contentType, bytes } };
};
