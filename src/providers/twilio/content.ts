/** Twilio's Content API: templates, and the content of messages that name one. */
import { isJsonObject, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { isWebUrl, smsLengthMax, type SubmittedSms } from "../sms.ts";
import { rejection } from "./errors.ts";
import type { TwilioSendRequest } from "./request.ts";
import { accountSidOf, isoSeconds, newSid, Resources, type Resource } from "./resources.ts";

/** Template. */
export interface Content {
  /** `HX` and 32 hex digits. */
  readonly sid: string;
  readonly accountSid: string;
  readonly friendlyName: string | null;
  readonly language: string;
  /** Sample values of variables, which are used for those that a message does not have. */
  readonly variables: Readonly<Record<string, string>>;
  /** Contents by type, such as `twilio/text`. */
  readonly types: Readonly<Record<string, JsonObject>>;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

const contents = new Resources<Content>({
  kind: "content",
  key: "contents",
  param: "content",
  path: "/v1/Content",
  pageSizeMax: null,
  resource: contentResource,
});

/** Content of a message. */
interface MessageContent extends RenderedContent {
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
  const stored = await contents.of({ session }).find(sid);
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
  const ids = { sid: newSid("HX"), accountSid: accountSidOf(request), createdAt: services.now() };
  const content = readContent(readJsonObject(request.body) ?? {}, ids);
  if (content === undefined) throw rejection(60200, ": types");
  return contents.put(call, content, 201);
};

/** Lists templates: `GET /v1/Content`. */
export const listContents: Handler = contents.list;

/** Returns a template: `GET /v1/Content/:content`. */
export const getContent: Handler = contents.get;

/** Deletes a template: `DELETE /v1/Content/:content`. */
export const deleteContent: Handler = contents.remove;

function contentResource(content: Content, url: string): Resource {
  const date = isoSeconds(content.createdAt);
  return {
    sid: content.sid,
    account_sid: content.accountSid,
    friendly_name: content.friendlyName,
    language: content.language,
    variables: content.variables,
    types: content.types,
    date_created: date,
    date_updated: date,
    url,
    links: { approval_create: `${url}/ApprovalRequests/whatsapp`, approval_fetch: `${url}/ApprovalRequests` },
  };
}

/** Text and media of a message with a template. */
interface RenderedContent {
  readonly text: string;
  readonly mediaUrls: readonly string[];
}

/** Returns the variables of `ContentVariables`; undefined unless it is a JSON object of texts or numbers. */
export function readContentVariables(text: string | undefined): Record<string, string> | undefined {
  return text === undefined ? {} : textsOf(readJsonObject(text));
}

/** Decodes the body of a request to create a template; undefined when it is not valid. */
function readContent(body: JsonObject, ids: Pick<Content, "sid" | "accountSid" | "createdAt">): Content | undefined {
  if (!isJsonObject(body["types"])) return undefined;
  const { friendly_name: friendlyName = null, language, types } = body;
  const variables = textsOf(body["variables"] ?? {});
  const isNamed = friendlyName === null || typeof friendlyName === "string";
  const entries = Object.entries(types);
  if (!isNamed || typeof language !== "string" || variables === undefined || entries.length === 0) return undefined;
  if (!entries.every(([, type]) => isJsonObject(type))) return undefined;
  return { ...ids, friendlyName, language, variables, types: types as Content["types"] };
}

/**
 * Returns the text and media of a template: the body of its first type with one, with titles of cards before it. Variables
 * are `{{1}}` or `{{name}}`; one without a value stays as it is.
 */
function renderTemplate({ types, variables }: Content, given: Readonly<Record<string, string>>): RenderedContent {
  const values = { ...variables, ...given };
  const render = (text: string): string =>
    text.replaceAll(/\{\{\s{0,5}(\w{1,100})\s{0,5}\}\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
    );
  const all = Object.values(types);
  const text = all.map(textOfType).find((one) => one !== "") ?? "";
  const media = all.map(({ media: urls }) => urls).find((urls) => Array.isArray(urls)) ?? [];
  const mediaUrls = (media as readonly unknown[]).filter((url) => typeof url === "string").map(render);
  return { text: render(text), mediaUrls };
}

function textOfType({ header_text: header, title, body, subtitle }: JsonObject): string {
  return [header, title, body, subtitle].filter((one) => typeof one === "string" && one !== "").join("\n");
}

function textsOf(value: unknown): Record<string, string> | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const isText = (one: unknown): boolean => typeof one === "string" || typeof one === "number";
  return entries.every(([, one]) => isText(one))
    ? Object.fromEntries(entries.map(([n, v]) => [n, String(v)]))
    : undefined;
}
