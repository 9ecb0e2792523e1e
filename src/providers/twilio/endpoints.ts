import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { jsonResponse, type ProviderEndpoint, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { channelFact, type StatusCallback, type StoredSms } from "../sms.ts";
import { twilioStatusCalls } from "./callbacks.ts";
import { refusalCodes, twilioError, twilioErrorResponse } from "./errors.ts";
import { contentEndpoints, renderContent } from "./content-endpoints.ts";
import { accountOf, mediaEndpoints } from "./media-endpoints.ts";
import { apiVersion, twilioSid, uuidOfSid, type TwilioMessage } from "./message.ts";
import { readTwilioList, readTwilioSend, type TwilioSendRequest } from "./request.ts";
import { twilioMessagePage, twilioMessageResource } from "./response.ts";
import { verificationEndpoints } from "./verification-endpoints.ts";
import { verifyServiceEndpoints } from "./verify-service-endpoints.ts";

const collection = `/${apiVersion}/Accounts/:account/Messages.json`;

/** Sends a message: `POST /2010-04-01/Accounts/:account/Messages.json`. */
const send: ProviderEndpoint = {
  method: "POST",
  isAtRoot: true,
  path: collection,
  summary: "Send an SMS through the Twilio-compatible API.",
  successes: [{ status: 201, description: "Twilio's message resource." }],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const { request: message, error } = readTwilioSend(request.form);
    if (error !== undefined) return twilioErrorResponse(error);
    const { content, error: invalid } = await renderContent(session, message);
    if (invalid !== undefined) return twilioErrorResponse(invalid);
    const { to, statusCallback, facts: metadata } = message;
    const { text, mediaUrls, template } = content;
    const from = /^MG[0-9a-f]{32}$/i.test(message.from) ? "restante" : message.from;
    const sent = { ...message, text, mediaUrls };
    const callback = statusCallback === null ? null : callbackOf(request, sent, statusCallback);
    const providerIdOf = (one: MessageId): string => twilioSid(prefixOf(mediaUrls), one);
    const sms = { from, to, text, callback, providerIdOf, metadata, mediaUrls, template };
    const { id, refusal } = { id: undefined, ...(await session.submitSms(sms)) };
    if (id === undefined) return refused(refusal, message);
    return jsonResponse(201, twilioMessageResource(queuedMessage(request, sent, id)));
  },
};

/** Returns a message: `GET /2010-04-01/Accounts/:account/Messages/:id.json`. */
const fetch: ProviderEndpoint = {
  method: "GET",
  isAtRoot: true,
  path: `/${apiVersion}/Accounts/:account/Messages/:id`,
  summary: "Fetch an SMS through the Twilio-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "read");
    const sms = await session.getSms(uuidOfSid(request.params["id"] ?? ""));
    return jsonResponse(200, twilioMessageResource(deliveredMessage(request, sms)));
  },
};

/** Lists messages, newest first: `GET /2010-04-01/Accounts/:account/Messages.json`. */
const list: ProviderEndpoint = {
  method: "GET",
  isAtRoot: true,
  path: collection,
  summary: "List SMS through the Twilio-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "read");
    const filter = readTwilioList(request.fields);
    const { messages, hasMore } = await session.listSms(filter);
    const shown = messages.map((sms) => deliveredMessage(request, sms));
    const { page, itemsPerPage: pageSize } = filter;
    const accountSid = accountOf(request);
    return jsonResponse(200, twilioMessagePage(shown, { accountSid, page, pageSize, hasMore, query: request.fields }));
  },
};

/** Endpoints of Twilio's Messages resource, and of Twilio Verify. */
export const twilioEndpoints: readonly ProviderEndpoint[] = [
  send,
  fetch,
  list,
  ...mediaEndpoints,
  ...contentEndpoints,
  ...verifyServiceEndpoints,
  ...verificationEndpoints,
];

function refused(refusal: keyof typeof refusalCodes, { to, statusCallback }: TwilioSendRequest): ProviderResponse {
  const value = refusal === "callback" ? (statusCallback ?? "") : to;
  return twilioErrorResponse(twilioError(refusalCodes[refusal], value));
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
