/** Twilio's Content API, and the content of messages that name a template. */
import { randomBytes } from "node:crypto";
import { countOf } from "../formats/form.ts";
import { readJson } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { jsonResponse } from "../provider.ts";
import { isWebUrl, smsLengthMax, type SubmittedSms } from "../sms.ts";
import { readContent, renderTemplate, type Content, type RenderedContent } from "./content.ts";
import { rejection, resourceNotFound } from "./errors.ts";
import type { TwilioSendRequest } from "./request.ts";
import { accountSidOf, pageMeta } from "./verify-response.ts";

const pageSize = 50;

function openContents({ session }: Pick<Call, "session">): Collection<Content> {
  return new Collection(session, "content");
}

/** Content of a message. */
export interface MessageContent extends RenderedContent {
  readonly template: NonNullable<SubmittedSms["template"]> | null;
}

/**
 * Returns the content of a message: its own, or that of its template, which shows its id and its variables when it is not
 * stored here. Rejects for media that is no URL and for a text that is too long.
 */
export async function renderContent(
  session: Call["session"],
  { content, text, mediaUrls }: TwilioSendRequest,
): Promise<MessageContent> {
  if (content === null) return { text, mediaUrls, template: null };
  const { sid, variables } = content;
  const stored = await openContents({ session }).find(sid);
  const rendered =
    stored === undefined
      ? { text: showUnstoredTemplate(sid, variables).text.slice(0, smsLengthMax), mediaUrls: [] }
      : renderTemplate(stored, variables);
  const invalid = rendered.mediaUrls.find((url) => !isWebUrl(url));
  if (invalid !== undefined) throw rejection(21620, invalid);
  if (rendered.text.length > smsLengthMax) throw rejection(21617);
  const template = { id: sid, data: variables };
  return { text: rendered.text, mediaUrls: [...mediaUrls, ...rendered.mediaUrls], template };
}

/** Creates a template: `POST /v1/Content`. */
export const createContent: Handler = async (call) => {
  const { request, services } = call;
  const sid = `HX${randomBytes(16).toString("hex")}`;
  const ids = { sid, accountSid: accountSidOf(request), createdAt: services.now() };
  const content = readContent(readJson(request.body), ids);
  if (content === undefined) throw rejection(60200, ": types");
  await openContents(call).put(sid, content);
  return jsonResponse(201, contentResource(content, request.url));
};

/** Lists templates in the order of their creation: `GET /v1/Content`. */
export const listContents: Handler = async (call) => {
  const { fields, url } = call.request;
  const page = countOf(fields, "Page", 0);
  const found = await openContents(call).page(page * pageSize);
  const meta = pageMeta({ key: "contents", page, pageSize, hasMore: found.length > pageSize }, baseOf(url));
  const contents = found.slice(0, pageSize).map(({ value }) => contentResource(value, url));
  return jsonResponse(200, { meta, contents });
};

/** Returns a template: `GET /v1/Content/:content`. */
export const getContent: Handler = async (call) => {
  const found = await openContents(call).find(call.request.params["content"] ?? "");
  if (found === undefined) throw resourceNotFound();
  return jsonResponse(200, contentResource(found, call.request.url));
};

/** Deletes a template: `DELETE /v1/Content/:content`. */
export const deleteContent: Handler = async (call) => {
  if (!(await openContents(call).remove(call.request.params["content"] ?? ""))) throw resourceNotFound();
  return { status: 204, body: null };
};

function baseOf(url: string): string {
  return /^.*?\/v1\/Content/.exec(url)?.[0] ?? "";
}

function contentResource(content: Content, url: string): Readonly<Record<string, unknown>> {
  const date = `${new Date(content.createdAt).toISOString().slice(0, 19)}Z`;
  const own = `${baseOf(url)}/${content.sid}`;
  return {
    sid: content.sid,
    account_sid: content.accountSid,
    friendly_name: content.friendlyName,
    language: content.language,
    variables: content.variables,
    types: content.types,
    date_created: date,
    date_updated: date,
    url: own,
    links: { approval_create: `${own}/ApprovalRequests/whatsapp`, approval_fetch: `${own}/ApprovalRequests` },
  };
}
