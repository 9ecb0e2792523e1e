/** Stored templates: https://developers.sparkpost.com/api/templates/ */
import { randomUUID } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Members } from "../kit/members.ts";
import { collectionOf } from "../kit/objects.ts";
import { renderBodies } from "../kit/templates.ts";
import { jsonResponse } from "../provider.ts";
import { rejection } from "./errors.ts";
import { readContent, readMembers, type Content } from "./request.ts";

/** Template as it is stored; contents are kept as they were given. */
interface Template {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly options: JsonObject;
  readonly draft: JsonObject | null;
  readonly published: JsonObject | null;
  readonly updatedAt: number;
}

const idForm = /^[\w-]{1,64}$/;
const rules = { wrongType: (name: string) => rejection("invalidFormat", `${name} has another type`) };

const openTemplates = collectionOf<Template>("template");

/** Returns the content of the template of a mail; throws a rejection without one. */
export async function openTemplate(
  call: Pick<Call, "session">,
  { id, isDraft }: { readonly id: string; readonly isDraft: boolean },
): Promise<Content> {
  const missing = (): Error => rejection("notFoundInside", `template '${id}' does not exist`);
  const template = await openTemplates(call).open(id, missing);
  const content = isDraft ? template.draft : template.published;
  if (content === null) throw rejection(isDraft ? "noDraft" : "notPublished", `template '${id}'`);
  return readContent(new Members(content, rules));
}

/** Substitutes data in all texts of a content but its files. */
export async function substitute(
  { services }: Pick<Call, "services">,
  content: Content,
  data: JsonObject,
): Promise<Content> {
  const { fromName, fromAddress, replyTo, subject, text, html, headers } = content;
  const named = headers.map(([name, value], at) => [`header ${String(at)} ${name}`, value] as const);
  // Few senders have variables, and an address without any needs no rendering.
  const sender = fromAddress.includes("{{") ? fromAddress : null;
  const sources = {
    fromName,
    fromAddress: sender,
    replyTo: replyTo || null,
    subject,
    text,
    html,
    ...Object.fromEntries(named),
  };
  const failed = (detail: string): Error => rejection("syntax", detail);
  const parts = await renderBodies<string>(services, { language: "substitutions", sources, data }, failed);
  const part = (name: string): string | null => parts[name] ?? null;
  return {
    ...content,
    fromName: part("fromName") ?? "",
    fromAddress: part("fromAddress") ?? fromAddress,
    replyTo: part("replyTo") ?? "",
    subject: part("subject") ?? "",
    text: part("text"),
    html: part("html"),
    headers: headers.map(([name], at) => [name, part(`header ${String(at)} ${name}`) ?? ""]),
  };
}

/** Creates a template: `POST /templates`. */
export const createTemplate: Handler = async (call) => {
  const request = readMembers(call.request);
  const id = request.text("id") || randomUUID();
  if (!idForm.test(id))
    throw rejection("invalidFormat", "id must have 1 to 64 letters, digits, underscores and hyphens");
  const content = givenContent(request);
  if (content === null) throw rejection("missing", "content is a required field");
  const absent = { id, name: id, description: "", options: {}, draft: content, published: null, updatedAt: 0 };
  if (!(await openTemplates(call).create(id, changed(absent, request, call.services.now())))) {
    throw rejection("templateExists", `Template '${id}' already exists`);
  }
  return jsonResponse(200, { results: { id } });
};

/** Lists templates: `GET /templates`. */
export const listTemplates: Handler = async (call) =>
  jsonResponse(200, { results: (await openTemplates(call).all()).map(itemJson) });

/** Returns a template, its draft or its published version: `GET /templates/:id`. */
export const getTemplate: Handler = async (call) => {
  const template = await named(call);
  const { isPublished, content } = versionOf(call, template);
  return jsonResponse(200, {
    results: { ...itemJson(template), published: isPublished, options: template.options, content },
  });
};

/** Changes the draft of a template, or the published version with `update_published`: `PUT /templates/:id`. */
export const updateTemplate: Handler = async (call) => {
  const request = readMembers(call.request);
  const isDirect = fieldOf(call.request.fields, "update_published") === "true";
  const given = givenContent(request);
  const { id } = await named(call);
  await openTemplates(call).change(id, (template) => {
    const draft = given === null ? template.draft : { ...(template.draft ?? template.published), ...given };
    const next = changed({ ...template, draft }, request, call.services.now());
    return isDirect ? { ...next, published: next.draft ?? next.published, draft: null } : next;
  });
  return jsonResponse(200, { results: { id } });
};

/** Removes a template: `DELETE /templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  const { id } = await named(call);
  await openTemplates(call).remove(id);
  return jsonResponse(200, {});
};

/** Renders a template with substitution data: `POST /templates/:id/preview`. */
export const previewTemplate: Handler = async (call) => {
  const data = readMembers(call.request).object("substitution_data") ?? {};
  const { content } = versionOf(call, await named(call));
  const { fromName, fromAddress, replyTo, subject, text, html, headers } = await substitute(
    call,
    readContent(new Members(content, rules)),
    data,
  );
  const from = { email: fromAddress, ...(fromName !== "" && { name: fromName }) };
  const optional = { reply_to: replyTo || null, text, html };
  const present = Object.entries(optional).filter(([, value]) => value !== null);
  const shownHeaders = headers.length > 0 ? { headers: Object.fromEntries(headers) } : {};
  return jsonResponse(200, { results: { from, subject, ...Object.fromEntries(present), ...shownHeaders } });
};

async function named(call: Call): Promise<Template> {
  const { id = "" } = call.request.params;
  return openTemplates(call).open(id, () => rejection("notFound", `Resource not found:template id ${id}`));
}

function versionOf(
  { request }: Call,
  { id, draft, published }: Template,
): { readonly content: JsonObject; readonly isPublished: boolean } {
  const wanted = fieldOf(request.fields, "draft");
  const isPublished = wanted === "false" || (wanted === undefined && draft === null);
  const content = isPublished ? published : draft;
  if (content === null) throw rejection(isPublished ? "notPublished" : "noDraft", `template '${id}'`);
  return { content, isPublished };
}

/** Returns the content of a request, which could be sent; null without one. */
function givenContent(request: Members): JsonObject | null {
  const content = request.object("content");
  if (content !== null) readContent(new Members({ from: "a@b.example", subject: "", text: "", ...content }, rules));
  if (content !== null && typeof content["from"] === "string" && parseMailbox(content["from"]) === undefined) {
    throw rejection("invalidFormat", "content.from must be an address");
  }
  return content;
}

/** Applies the members of a request but its content; `published` publishes the draft. */
function changed(template: Template, request: Members, now: number): Template {
  const options = request.value("options");
  const next = {
    ...template,
    name: request.text("name") ?? template.name,
    description: request.text("description") ?? template.description,
    options: isJsonObject(options) ? options : template.options,
    updatedAt: now,
  };
  const isPublished = request.flag("published") === true && next.draft !== null;
  return isPublished ? { ...next, published: next.draft, draft: null } : next;
}

function itemJson({ id, name, description, draft, published, updatedAt }: Template): JsonObject {
  return {
    id,
    name,
    description,
    published: published !== null,
    has_draft: draft !== null,
    has_published: published !== null,
    last_update_time: new Date(updatedAt).toISOString().replace("Z", "+00:00"),
  };
}
