/** Endpoints of templates and of their content. */
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { invalid, texts } from "./errors.ts";
import { fieldOfAnyCase, readPage } from "./messages.ts";
import { readBody } from "./request.ts";
import { listWire } from "./response.ts";
import {
  emptyContent,
  openTemplates,
  requireTemplate,
  type Template,
  type TemplateContent,
  type TemplateStore,
} from "./templates.ts";

const nameLengthMax = 255;
/** Largest content and largest further properties of a template, in bytes of JSON. */
const contentBytesMax = 900_000;
const propertiesBytesMax = 10_000;

type Wire = Readonly<Record<string, unknown>>;
type Handler = (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;

interface TemplateCall {
  readonly store: TemplateStore;
  readonly request: ProviderRequest;
  /** Id or name in the path. */
  readonly id: string;
  readonly now: number;
}

function handler(status: number, respond: (call: TemplateCall) => Promise<Wire | null>): Handler {
  return async (request, services) => {
    const session = await services.authenticate(request.key, request.method === "GET" ? "read" : "send");
    const call = { store: openTemplates(session), request, id: request.params["id"] ?? "", now: services.now() };
    const body = await respond(call);
    return body === null ? { status, body } : jsonResponse(status, body);
  };
}

/** Lists templates. */
export const listTemplates: Handler = handler(200, async ({ store, request: { fields } }) => {
  const { limit, offset } = readPage(fields);
  const name = fieldOfAnyCase(fields, "name");
  const found = (await store.list()).filter((one) => name === undefined || one.name === name);
  return listWire(found.slice(offset, offset + limit).map(templateWire), found.length);
});

/** Creates a template without content. */
export const createTemplate: Handler = handler(201, async ({ store, request, now }) => {
  const { Name: name, ...properties } = readBody(request.body);
  const template = { name: readName(name), properties: readProperties(properties), createdAt: now, updatedAt: now };
  return listWire([templateWire(await store.create(template))]);
});

/** Returns a template. */
export const getTemplate: Handler = handler(200, async ({ store, id }) =>
  listWire([templateWire(await requireTemplate(store, id))]),
);

/** Changes the given properties of a template. */
export const updateTemplate: Handler = handler(200, async ({ store, request, id, now }) => {
  const template = await requireTemplate(store, id);
  const { Name: name, ...properties } = readBody(request.body);
  const changed: Template = {
    ...template,
    name: name === undefined ? template.name : readName(name),
    properties: readProperties({ ...template.properties, ...properties }),
    updatedAt: now,
  };
  const others = (await store.list()).filter((one) => one.id !== template.id);
  if (others.some((one) => one.name === changed.name)) throw invalid(texts.templateExists(changed.name));
  await store.put(changed);
  return listWire([templateWire(changed)]);
});

/** Deletes a template with its content. */
export const deleteTemplate: Handler = handler(204, async ({ store, id }) => {
  await store.remove(await requireTemplate(store, id));
  return null;
});

/** Returns the content of a template. */
export const getContent: Handler = handler(200, async ({ store, id }) =>
  listWire([contentWire(await store.contentOf(await requireTemplate(store, id)))]),
);

/** Replaces the content of a template. */
export const createContent: Handler = handler(201, async (call) => changeContent(call, async () => emptyContent));

/** Changes the given members of the content of a template. */
export const updateContent: Handler = handler(200, async (call) =>
  changeContent(call, async (template) => call.store.contentOf(template)),
);

async function changeContent(
  { store, request, id }: TemplateCall,
  before: (template: Template) => Promise<TemplateContent>,
): Promise<Wire> {
  const template = await requireTemplate(store, id);
  const given = readBody(request.body);
  const { html, text, mjml, headers } = await before(template);
  const content: TemplateContent = {
    html: readText(given, "Html-part") ?? html,
    text: readText(given, "Text-part") ?? text,
    mjml: readText(given, "MJMLContent") ?? mjml,
    headers: given["Headers"] === undefined ? headers : readHeaders(given["Headers"]),
  };
  if (bytesOf(content) > contentBytesMax) throw invalid("The content of a template has at most 900000 bytes");
  await store.putContent(template, content);
  return listWire([contentWire(content)]);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function readName(name: unknown): string {
  if (typeof name === "string" && name !== "" && name.length <= nameLengthMax) return name;
  throw invalid("Name is required and has at most 255 characters");
}

function readProperties(properties: JsonObject): Template["properties"] {
  const known = Object.entries(properties).filter(([name]) => propertyNames.includes(name));
  if (bytesOf(known) > propertiesBytesMax) throw invalid("The properties of a template have at most 10000 bytes");
  return Object.fromEntries(known);
}

function readText(given: JsonObject, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalid(`${name} must be a string`);
  return value;
}

/** Decodes header fields, which may also be given as JSON text. */
function readHeaders(value: unknown): Readonly<Record<string, string>> {
  const headers = typeof value === "string" ? parse(value) : value;
  if (!isJsonObject(headers)) throw invalid("Headers must be an object");
  const names = Object.keys(headers);
  return Object.fromEntries(names.map((name) => [name, readText(headers, name) ?? ""]));
}

function parse(text: string): unknown {
  return text === "" ? {} : readBody(Buffer.from(text));
}

const defaults = {
  Author: "",
  Categories: [],
  Copyright: "",
  Description: "",
  EditMode: 2,
  IsStarred: false,
  IsTextPartGenerationEnabled: true,
  Locale: "en_US",
  OwnerType: "apikey",
  Presets: "",
  Purposes: ["transactional"],
};
const propertyNames: readonly string[] = Object.keys(defaults);

function templateWire({ id, name, properties, createdAt, updatedAt }: Template): Wire {
  const date = (instant: number): string => new Date(instant).toISOString().replace(/\.\d{3}Z$/, "Z");
  const own = { ID: id, Name: name, OwnerId: 1, Previews: "", LocaleList: ["en_US"] };
  return { ...defaults, ...properties, ...own, CreatedAt: date(createdAt), LastUpdatedAt: date(updatedAt) };
}

function contentWire({ html, text, mjml, headers }: TemplateContent): Wire {
  return { Headers: headers, "Html-part": html, "Text-part": text, MJMLContent: mjml };
}
