/** Endpoints of templates and of their content. */
import { randomInt } from "node:crypto";
import { isAbsent, isJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse, noContent, type ProviderResponse } from "../provider.ts";
import { invalid, texts } from "./errors.ts";
import { fieldOfAnyCase, readPage } from "./messages.ts";
import { readBody } from "./request.ts";
import { listWire } from "./response.ts";
import { contentOf, emptyContent, openTemplate, openTemplates } from "./templates.ts";
import type { Template, TemplateContent } from "./templates.ts";

const nameLengthMax = 255;
/** Largest content and largest further properties of a template, in bytes of JSON. */
const contentBytesMax = 900_000;
const propertiesBytesMax = 10_000;

/** Lists templates. */
export const listTemplates: Handler = async (call) => {
  const { fields } = call.request;
  const { limit, offset } = readPage(fields);
  const name = fieldOfAnyCase(fields, "name");
  const found = (await openTemplates(call).templates.all()).filter((one) => name === undefined || one.name === name);
  return jsonResponse(200, listWire(found.slice(offset, offset + limit).map(templateWire), found.length));
};

/** Creates a template without content. */
export const createTemplate: Handler = async (call) => {
  const { Name: given, ...properties } = readBody(call.request.body);
  const name = readName(given);
  const now = call.services.now();
  const template = { name, properties: readProperties(properties), createdAt: now, updatedAt: now };
  await checkName(call, name);
  for (;;) {
    const created: Template = { ...template, id: randomInt(1_000_000, 10_000_000) };
    if (await openTemplates(call).templates.create(String(created.id), created)) return shown(created, 201);
  }
};

async function checkName(call: Call, name: string, id?: number): Promise<void> {
  const others = (await openTemplates(call).templates.all()).filter((one) => one.id !== id);
  if (others.some((one) => one.name === name)) throw invalid(texts.templateExists(name));
}

function shown(template: Template, status = 200): ProviderResponse {
  return jsonResponse(status, listWire([templateWire(template)]));
}

/** Returns a template. */
export const getTemplate: Handler = async (call) => shown(await openTemplate(call));

/** Changes the given properties of a template. */
export const updateTemplate: Handler = async (call) => {
  const template = await openTemplate(call);
  const { Name: name, ...properties } = readBody(call.request.body);
  const changed: Template = {
    ...template,
    name: name === undefined ? template.name : readName(name),
    properties: readProperties({ ...template.properties, ...properties }),
    updatedAt: call.services.now(),
  };
  await checkName(call, changed.name, template.id);
  await openTemplates(call).templates.put(String(template.id), changed);
  return shown(changed);
};

/** Deletes a template with its content. */
export const deleteTemplate: Handler = async (call) => {
  const { templates, contents } = openTemplates(call);
  const id = String((await openTemplate(call)).id);
  await templates.remove(id);
  await contents.remove(id);
  return noContent;
};

/** Returns the content of a template. */
export const getContent: Handler = async (call) =>
  jsonResponse(200, listWire([contentWire(await contentOf(call, await openTemplate(call)))]));

/** Replaces the content of a template. */
export const createContent: Handler = async (call) =>
  changeContent(call, { status: 201, before: async () => emptyContent });

/** Changes the given members of the content of a template. */
export const updateContent: Handler = async (call) =>
  changeContent(call, { status: 200, before: async (template) => contentOf(call, template) });

interface ContentChange {
  readonly status: number;
  readonly before: (template: Template) => Promise<TemplateContent>;
}

async function changeContent(call: Call, { status, before }: ContentChange): Promise<ProviderResponse> {
  const template = await openTemplate(call);
  const given = readBody(call.request.body);
  const { html, text, mjml, headers } = await before(template);
  const content: TemplateContent = {
    html: readText(given, "Html-part") ?? html,
    text: readText(given, "Text-part") ?? text,
    mjml: readText(given, "MJMLContent") ?? mjml,
    headers: given["Headers"] === undefined ? headers : readHeaders(given["Headers"]),
  };
  if (bytesOf(content) > contentBytesMax) throw invalid("The content of a template has at most 900000 bytes");
  await openTemplates(call).contents.put(String(template.id), content);
  return jsonResponse(status, listWire([contentWire(content)]));
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
  if (isAbsent(value)) return undefined;
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

function templateWire({ id, name, properties, createdAt, updatedAt }: Template): JsonObject {
  const date = (instant: number): string => new Date(instant).toISOString().replace(/\.\d{3}Z$/, "Z");
  const own = { ID: id, Name: name, OwnerId: 1, Previews: "", LocaleList: ["en_US"] };
  return { ...defaults, ...properties, ...own, CreatedAt: date(createdAt), LastUpdatedAt: date(updatedAt) };
}

function contentWire({ html, text, mjml, headers }: TemplateContent): JsonObject {
  return { Headers: headers, "Html-part": html, "Text-part": text, MJMLContent: mjml };
}
