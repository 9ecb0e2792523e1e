/** Templates of Twilio's Content API. */
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";

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

/** Text and media of a message with a template. */
export interface RenderedContent {
  readonly text: string;
  readonly mediaUrls: readonly string[];
}

/** Returns the variables of `ContentVariables`; undefined unless it is a JSON object of texts or numbers. */
export function readContentVariables(text: string | undefined): Record<string, string> | undefined {
  return text === undefined ? {} : textsOf(readJson(Buffer.from(text)));
}

/** Decodes the body of a request to create a template; undefined when it is not valid. */
export function readContent(
  body: unknown,
  ids: Pick<Content, "sid" | "accountSid" | "createdAt">,
): Content | undefined {
  if (!isJsonObject(body) || !isJsonObject(body["types"])) return undefined;
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
export function renderTemplate(
  { types, variables }: Content,
  given: Readonly<Record<string, string>>,
): RenderedContent {
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
