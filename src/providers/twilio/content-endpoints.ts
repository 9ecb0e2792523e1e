/** Twilio's Content API, and the content of messages that name a template. */
import { randomBytes } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import { readJson } from "../formats/json-body.ts";
import { jsonResponse, type ProviderEndpoint, type ProviderSession } from "../provider.ts";
import { isWebUrl, smsLengthMax, type SubmittedSms } from "../sms.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { contentKind, readContent, renderTemplate, type Content, type RenderedContent } from "./content.ts";
import { twilioError, twilioErrorResponse, type TwilioError } from "./errors.ts";
import type { TwilioSendRequest } from "./request.ts";
import { accountSidOf, resourceNotFound } from "./verify-call.ts";

const collection = "/v1/Content";
const item = "/v1/Content/:content";
const pageSize = 50;

/** Content of a message. */
export interface MessageContent extends RenderedContent {
  readonly template: NonNullable<SubmittedSms["template"]> | null;
}

/**
 * Returns the content of a message: its own, or that of its template, which shows its id and its variables when it is not
 * stored here; an error for media that is no URL and for a text that is too long.
 */
export async function renderContent(
  { objects }: Pick<ProviderSession, "objects">,
  { content, text, mediaUrls }: TwilioSendRequest,
): Promise<
  | { readonly content: MessageContent; readonly error?: undefined }
  | { readonly content?: undefined; readonly error: TwilioError }
> {
  if (content === null) return { content: { text, mediaUrls, template: null } };
  const { sid, variables } = content;
  const stored = await objects.get(contentKind, sid);
  const rendered =
    stored === undefined
      ? { text: showUnstoredTemplate(sid, variables).text.slice(0, smsLengthMax), mediaUrls: [] }
      : renderTemplate(stored.value as Content, variables);
  const invalid = rendered.mediaUrls.find((url) => !isWebUrl(url));
  if (invalid !== undefined) return { error: twilioError(21620, invalid) };
  if (rendered.text.length > smsLengthMax) return { error: twilioError(21617) };
  const template = { id: sid, data: variables };
  return { content: { text: rendered.text, mediaUrls: [...mediaUrls, ...rendered.mediaUrls], template } };
}

/** Creates a template: `POST /v1/Content`. */
const create: ProviderEndpoint = {
  method: "POST",
  path: collection,
  summary: "Create a template of the Twilio Content-compatible API.",
  successes: [{ status: 201, description: "Twilio's content resource." }],
  handle: async (request, services) => {
    const { objects } = await services.authenticate(request.key, "send");
    const sid = `HX${randomBytes(16).toString("hex")}`;
    const ids = { sid, accountSid: accountSidOf(request), createdAt: services.now() };
    const content = readContent(readJson(request.body), ids);
    if (content === undefined) return twilioErrorResponse(twilioError(60200, ": types"));
    await objects.put(contentKind, sid, { value: content });
    return jsonResponse(201, contentResource(content, request.url));
  },
};

/** Lists templates in the order of their creation: `GET /v1/Content`. */
const list: ProviderEndpoint = {
  method: "GET",
  path: collection,
  summary: "List templates of the Twilio Content-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const { objects } = await services.authenticate(request.key, "read");
    const page = Number(/^\d{1,4}$/.exec(fieldOf(request.fields, "Page") ?? "")?.[0] ?? 0);
    const found = await objects.list(contentKind, page * pageSize);
    const base = baseOf(request.url);
    const urlOf = (number: number): string => `${base}?PageSize=${String(pageSize)}&Page=${String(number)}`;
    const meta = {
      page,
      page_size: pageSize,
      first_page_url: urlOf(0),
      previous_page_url: page === 0 ? null : urlOf(page - 1),
      url: urlOf(page),
      next_page_url: found.length > pageSize ? urlOf(page + 1) : null,
      key: "contents",
    };
    const contents = found.slice(0, pageSize).map(({ value }) => contentResource(value as Content, request.url));
    return jsonResponse(200, { meta, contents });
  },
};

/** Returns a template: `GET /v1/Content/:content`. */
const fetch: ProviderEndpoint = {
  method: "GET",
  path: item,
  summary: "Fetch a template of the Twilio Content-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const { objects } = await services.authenticate(request.key, "read");
    const found = await objects.get(contentKind, request.params["content"] ?? "");
    if (found === undefined) return resourceNotFound(request);
    return jsonResponse(200, contentResource(found.value as Content, request.url));
  },
};

/** Deletes a template: `DELETE /v1/Content/:content`. */
const remove: ProviderEndpoint = {
  method: "DELETE",
  path: item,
  summary: "Delete a template of the Twilio Content-compatible API.",
  successes: [{ status: 204, description: "The template was deleted." }],
  handle: async (request, services) => {
    const { objects } = await services.authenticate(request.key, "send");
    const isRemoved = await objects.remove(contentKind, request.params["content"] ?? "");
    return isRemoved ? { status: 204, body: null } : resourceNotFound(request);
  },
};

/** Endpoints of the Content API. */
export const contentEndpoints: readonly ProviderEndpoint[] = [create, list, fetch, remove];

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
