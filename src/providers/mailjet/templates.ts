/** Templates: stored as objects of the caller, the content as an object of its own. */
import type { Problem } from "../../core/errors.ts";
import type { DraftMailbox, EmailDraft } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { aliasedCollectionOf, collectionOf } from "../kit/objects.ts";
import { onProblem } from "../kit/rejection.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { jsonResponse, noContent, type ProviderResponse } from "../provider.ts";
import { invalid, objectNotFound, texts, type Report } from "./errors.ts";
import { readBody, type MailjetMessage } from "./request.ts";
import { instantText, listWire, lowerNames, readPage } from "./messages.ts";

const nameLengthMax = 255;
/** Largest content and largest further properties of a template, in bytes of JSON. */
const contentBytesMax = 900_000;
const propertiesBytesMax = 10_000;

/** Template without its content; its name is unique. */
interface Template {
  readonly id: number;
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Further properties as the caller set them: `Author`, `Purposes`, …. */
  readonly properties: JsonObject;
}

/** Content of a template. */
interface TemplateContent {
  readonly html: string;
  readonly text: string;
  readonly mjml: string;
  /** `From`, `Subject`, `Reply-to`, …. */
  readonly headers: Readonly<Record<string, string>>;
}

const emptyContent: TemplateContent = { html: "", text: "", mjml: "", headers: {} };

type Owner = Pick<Call, "session">;

const openTemplates = aliasedCollectionOf<Template>("template", ({ name }) => name);

/** Contents by the id of their template. */
const openContents = collectionOf<TemplateContent>("content");

/** Returns the template that the path names by its id or name; throws Mailjet's 404 without one. */
async function openTemplate(call: Call): Promise<Template> {
  return openTemplates(call).openAny(call.request.params["id"] ?? "", objectNotFound);
}

/** Returns the content of a template, which is empty until it is set. */
async function contentOf(owner: Owner, { id }: Template): Promise<TemplateContent> {
  return (await openContents(owner).find(String(id))) ?? emptyContent;
}

/** Texts of a message after its template was applied and the template language was interpreted. */
export interface RenderedMessage extends Pick<EmailDraft, "replyTo" | "subject" | "text" | "html"> {
  /** Null without a sender. */
  readonly from: DraftMailbox | null;
}

/** Applies the template of a message; one that is not stored is shown as its id and the variables. */
export async function renderMessage(message: MailjetMessage, call: Call, report: Report): Promise<RenderedMessage> {
  const { template: id, html, from, replyTo, subject, variables } = message;
  const template = id === null ? undefined : await openTemplates(call).findAny(id);
  if (id !== null && template === undefined) {
    const shown = showUnstoredTemplate(id, variables);
    return { ...shown, from, replyTo, subject: subject ?? shown.subject };
  }
  const content = template === undefined ? emptyContent : await contentOf(call, template);
  if (content.html && html) report("send-0004", texts.twoHtmlParts, "HTMLPart", "TemplateID");
  const sources = sourcesOf(message, content);
  if (!message.hasLanguage) return messageOf(message, sources);
  const job = { language: "mjtl", sources, data: variables } as const;
  const rendered = await onProblem("invalid_request", call.services.renderTemplates(job), (problem) => {
    if (!message.deliversErrors) report("template-language", textOf(problem), "TemplateLanguage", "Variables");
    return {};
  });
  return messageOf(message, { ...sources, ...rendered });
}

function textOf({ fields: [field], message }: Problem): string {
  return field === undefined ? message : `${field.field}: ${field.description}`;
}

type Sources = Readonly<Record<string, string>>;

/** Returns the sources by name; those of the message take precedence over those of the template. */
function sourcesOf(message: MailjetMessage, content: TemplateContent): Sources {
  const header = (name: string): string | undefined => fieldOf(lowerNames(Object.entries(content.headers)), name);
  const optional = {
    subject: message.subject ?? header("subject"),
    text: content.text || message.text,
    html: content.html || message.html,
    from: message.from === null ? header("from") : undefined,
    replyTo: message.replyTo.length === 0 ? header("reply-to") : undefined,
  };
  return Object.fromEntries(
    Object.entries(optional).flatMap(([name, source]) => (typeof source === "string" ? [[name, source]] : [])),
  );
}

function messageOf({ from, replyTo }: MailjetMessage, sources: Sources): RenderedMessage {
  return {
    from: from ?? parseMailbox(sources["from"] ?? "") ?? null,
    replyTo: replyTo.length > 0 ? replyTo : (parseMailboxes(sources["replyTo"] ?? "") ?? []),
    subject: sources["subject"] ?? "",
    text: sources["text"] ?? null,
    html: sources["html"] ?? null,
  };
}

/** Lists templates. */
export const listTemplates: Handler = async (call) => {
  const fields = lowerNames(call.request.fields);
  const { limit, offset } = readPage(fields);
  const name = fieldOf(fields, "name");
  const found = (await openTemplates(call).all()).filter((one) => name === undefined || one.name === name);
  return jsonResponse(200, listWire(found.slice(offset, offset + limit).map(templateWire), found.length));
};

/** Creates a template without content. */
export const createTemplate: Handler = async (call) => {
  const { Name: given, ...properties } = readBody(call.request.body);
  const now = call.services.now();
  const template = { name: readName(given), properties: readProperties(properties), createdAt: now, updatedAt: now };
  const numbered = openTemplates(call).createNumbered(1_000_000, 10_000_000, (id) => ({ ...template, id }));
  return shown((await numbered) ?? nameTaken(template), 201);
};

function nameTaken({ name }: Pick<Template, "name">): never {
  throw invalid(texts.templateExists(name));
}

function shown(template: Template, status = 200): ProviderResponse {
  return jsonResponse(status, listWire([templateWire(template)]));
}

/** Returns a template. */
export const getTemplate: Handler = async (call) => shown(await openTemplate(call));

/** Changes the given properties of a template. */
export const updateTemplate: Handler = async (call) => {
  const template = await openTemplate(call);
  const { Name: name = template.name, ...properties } = readBody(call.request.body);
  const changed: Template = {
    ...template,
    name: readName(name),
    properties: readProperties({ ...template.properties, ...properties }),
    updatedAt: call.services.now(),
  };
  const isStored = await openTemplates(call).store(String(template.id), changed, template);
  return isStored ? shown(changed) : nameTaken(changed);
};

/** Deletes a template with its content. */
export const deleteTemplate: Handler = async (call) => {
  const template = await openTemplate(call);
  await openTemplates(call).discard(String(template.id), template);
  await openContents(call).remove(String(template.id));
  return noContent;
};

/** Returns the content of a template. */
export const getContent: Handler = async (call) =>
  jsonResponse(200, listWire([contentWire(await contentOf(call, await openTemplate(call)))]));

/** Replaces the content of a template. */
export const createContent: Handler = async (call) =>
  putContent(call, { ...(await openTemplate(call)), content: emptyContent, status: 201 });

/** Changes the given members of the content of a template. */
export const updateContent: Handler = async (call) => {
  const template = await openTemplate(call);
  return putContent(call, { ...template, content: await contentOf(call, template), status: 200 });
};

async function putContent(
  call: Call,
  { id, content: present, status }: { readonly id: number; readonly content: TemplateContent; readonly status: number },
): Promise<ProviderResponse> {
  const given = readBody(call.request.body);
  const content: TemplateContent = {
    html: readText(given, "Html-part") ?? present.html,
    text: readText(given, "Text-part") ?? present.text,
    mjml: readText(given, "MJMLContent") ?? present.mjml,
    headers: given["Headers"] === undefined ? present.headers : readHeaders(given["Headers"]),
  };
  if (bytesOf(content) > contentBytesMax) throw invalid("The content of a template has at most 900000 bytes");
  await openContents(call).put(String(id), content);
  return jsonResponse(status, listWire([contentWire(content)]));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function readName(name: unknown): string {
  if (typeof name === "string" && name !== "" && name.length <= nameLengthMax) return name;
  throw invalid("Name is required and has at most 255 characters");
}

function readProperties(properties: JsonObject): JsonObject {
  const known = Object.entries(properties).filter(([name]) => Object.hasOwn(defaults, name));
  if (bytesOf(known) > propertiesBytesMax) throw invalid("The properties of a template have at most 10000 bytes");
  return Object.fromEntries(known);
}

function readText(given: JsonObject, name: string): string | undefined {
  const value = given[name] ?? undefined;
  if (value !== undefined && typeof value !== "string") throw invalid(`${name} must be a string`);
  return value;
}

/** Decodes header fields, which may also be given as JSON text. */
function readHeaders(value: unknown): Readonly<Record<string, string>> {
  const headers = typeof value === "string" ? (value === "" ? {} : readBody(Buffer.from(value))) : value;
  if (!isJsonObject(headers)) throw invalid("Headers must be an object");
  return Object.fromEntries(Object.keys(headers).map((name) => [name, readText(headers, name) ?? ""]));
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

function templateWire({ id, name, properties, createdAt, updatedAt }: Template): JsonObject {
  const own = { ID: id, Name: name, OwnerId: 1, Previews: "", LocaleList: ["en_US"] };
  const instants = { CreatedAt: instantText(createdAt), LastUpdatedAt: instantText(updatedAt) };
  return { ...defaults, ...properties, ...own, ...instants };
}

function contentWire({ html, text, mjml, headers }: TemplateContent): JsonObject {
  return { Headers: headers, "Html-part": html, "Text-part": text, MJMLContent: mjml };
}
