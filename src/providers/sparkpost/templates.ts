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
import { missing, readContent, readMembers, results, type Content } from "./request.ts";

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
  return contentOf(versionOf(await openTemplates(call).open(id, missing), isDraft));
}

/** Returns the content of the draft or of the published version; throws a rejection without it. */
function versionOf({ id, draft, published }: Template, isDraft: boolean): JsonObject {
  const content = isDraft ? draft : published;
  if (content === null) throw rejection(isDraft ? "noDraft" : "notPublished", `template '${id}'`);
  return content;
}

function contentOf(content: JsonObject): Content {
  return readContent(new Members(content, rules));
}

/** Substitutes data in all texts of a content but its files. */
export async function substitute(
  { services }: Pick<Call, "services">,
  content: Content,
  data: JsonObject,
): Promise<Content> {
  const { from, replyTo, subject, text, html, headers } = content;
  const keyOf = (at: number, name: string): string => `header ${String(at)} ${name}`;
  const sources = {
    fromName: from.name,
    // Few senders have variables, and an address without any needs no rendering.
    fromAddress: from.address.includes("{{") ? from.address : null,
    replyTo: replyTo || null,
    subject,
    text,
    html,
    ...Object.fromEntries(headers.map(([name, value], at) => [keyOf(at, name), value])),
  };
  const failed = (detail: string): Error => rejection("syntax", detail);
  const parts = await renderBodies<string>(services, { language: "substitutions", sources, data }, failed);
  const part = (name: string): string => parts[name] ?? "";
  return {
    from: { name: part("fromName"), address: parts["fromAddress"] ?? from.address },
    replyTo: part("replyTo"),
    subject: part("subject"),
    text: parts["text"] ?? null,
    html: parts["html"] ?? null,
    headers: headers.map(([name], at) => [name, part(keyOf(at, name))]),
    attachments: content.attachments,
  };
}

/** Creates a template: `POST /templates`. */
export const createTemplate: Handler = async (call) => {
  const request = readMembers(call.request);
  const id = request.text("id") || randomUUID();
  if (!idForm.test(id))
    throw rejection("invalidFormat", "id must have 1 to 64 letters, digits, underscores and hyphens");
  const content = givenContent(request);
  if (content === null) missing("content");
  const absent = { id, name: id, description: "", options: {}, draft: content, published: null, updatedAt: 0 };
  if (!(await openTemplates(call).create(id, changed(absent, request, call.services.now())))) {
    throw rejection("templateExists", `Template '${id}' already exists`);
  }
  return results({ id });
};

/** Lists templates: `GET /templates`. */
export const listTemplates: Handler = async (call) => results((await openTemplates(call).all()).map(itemJson));

/** Returns a template, its draft or its published version: `GET /templates/:id`. */
export const getTemplate: Handler = async (call) => {
  const template = await named(call);
  const isDraft = wantsDraft(call, template);
  const content = versionOf(template, isDraft);
  return results({ ...itemJson(template), published: !isDraft, options: template.options, content });
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
    return isDirect ? publish(next) : next;
  });
  return results({ id });
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
  const template = await named(call);
  const content = contentOf(versionOf(template, wantsDraft(call, template)));
  const { from, replyTo, subject, text, html, headers } = await substitute(call, content, data);
  const sender = { email: from.address, ...(from.name !== "" && { name: from.name }) };
  const optional = Object.entries({ reply_to: replyTo || null, text, html }).filter(([, value]) => value !== null);
  const shownHeaders = headers.length > 0 && { headers: Object.fromEntries(headers) };
  return results({ from: sender, subject, ...Object.fromEntries(optional), ...shownHeaders });
};

async function named(call: Call): Promise<Template> {
  const { id = "" } = call.request.params;
  return openTemplates(call).open(id, () => rejection("notFound", `Resource not found:template id ${id}`));
}

/** The draft, if there is one, unless the request asks for the published version. */
function wantsDraft({ request }: Call, { draft }: Template): boolean {
  const wanted = fieldOf(request.fields, "draft");
  return wanted === undefined ? draft !== null : wanted !== "false";
}

/** Returns the content of a request, which could be sent; null without one. */
function givenContent(request: Members): JsonObject | null {
  const content = request.object("content");
  if (content !== null) contentOf({ from: "a@b.example", subject: "", text: "", ...content });
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
  return request.flag("published") === true ? publish(next) : next;
}

function publish(template: Template): Template {
  return { ...template, published: template.draft ?? template.published, draft: null };
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
