/** Media of messages: their list, one of them, and its content. */
import { notFound } from "../../core/errors.ts";
import { jsonResponse, type ProviderEndpoint, type ProviderRequest, type ProviderServices } from "../provider.ts";
import type { StoredSms } from "../sms.ts";
import { apiVersion, uuidOfSid } from "./message.ts";

const collection = `/${apiVersion}/Accounts/:account/Messages/:id`;

/** Returns the account SID of the path, which the caller chooses freely. */
export function accountOf({ path }: Pick<ProviderRequest, "path">): string {
  return path.split("/")[3] ?? "";
}

async function read(request: ProviderRequest, services: ProviderServices) {
  const session = await services.authenticate(request.key, "read");
  return { session, sms: await session.getSms(uuidOfSid(request.params["id"] ?? "")) };
}

/** Returns the SID of media: that of its message, with the position in place of the last two digits. */
function mediaSid({ id }: StoredSms, at: number): string {
  return `ME${id.replaceAll("-", "").slice(0, -2)}${at.toString(16).padStart(2, "0")}`;
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
const list: ProviderEndpoint = {
  method: "GET",
  isAtRoot: true,
  path: `${collection}/Media.json`,
  summary: "List the media of a message through the Twilio-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const { sms } = await read(request, services);
    const uri = `/${apiVersion}/Accounts/${accountOf(request)}/Messages/${request.params["id"] ?? ""}/Media.json`;
    const media_list = sms.media.map((_, at) => mediaResource(request, sms, at));
    const page = { page: 0, page_size: 50, start: 0, end: Math.max(0, media_list.length - 1) };
    const uris = { first_page_uri: `${uri}?PageSize=50&Page=0`, next_page_uri: null, previous_page_uri: null, uri };
    return jsonResponse(200, { media_list, ...page, ...uris });
  },
};

/**
 * Returns media, `GET …/Messages/:id/Media/:sid.json`, or its content, without `.json`. Media that was not fetched is a
 * redirect to its URL.
 */
const fetch: ProviderEndpoint = {
  method: "GET",
  isAtRoot: true,
  path: `${collection}/Media/:media`,
  summary: "Fetch the media of a message through the Twilio-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const { session, sms } = await read(request, services);
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
  },
};

/** Endpoints of the Media subresource of messages. */
export const mediaEndpoints: readonly ProviderEndpoint[] = [list, fetch];
