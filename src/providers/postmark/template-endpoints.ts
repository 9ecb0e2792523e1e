/** Templates in requests: their members and the checks of the API. */
import { randomUUID } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { rejection, texts } from "./errors.ts";
import { readFields, type Fields } from "./request.ts";
import { readPaging } from "./messages.ts";
import { contentPlaceholder, findLayout, findTemplate, isAlias, openBodies, openSummaries } from "./templates.ts";
import type { PostmarkTemplate, TemplateSummary } from "./templates.ts";

/** Templates and layouts of a server. */
const templateCountMax = 300;

/** Creates a template or layout: `POST /templates`. */
export const postTemplate: Handler = async (call) => {
  const { html, text, ...value } = await readTemplate(call, null);
  const { alias } = value;
  const summaries = openSummaries(call);
  if ((await summaries.all()).length >= templateCountMax) {
    throw rejection(1105, `A Server may have up to ${templateCountMax} templates.`);
  }
  const made = await openBodies(call).createNumbered(10_000_000, 100_000_000, (id) => ({ id, alias, html, text }));
  if (made === undefined) throw aliasTaken(value);
  const created = { id: made.id, ...value };
  await summaries.put(String(made.id), created);
  return jsonResponse(200, summary(created));
};

/** Lists templates: `GET /templates`. */
export const getTemplates: Handler = async (call) => {
  const fields = call.request.fields.map(([name, value]) => [name.toLowerCase(), value] as const);
  const { count, offset } = readPaging(fields, 1100);
  const field = (name: string): string => fieldOf(fields, name)?.toLowerCase() ?? "";
  const [type, layout] = [field("templatetype") || "all", field("layouttemplate")];
  const all = (await openSummaries(call).all()).filter(
    (one) =>
      (type === "all" || one.type.toLowerCase() === type) && (layout === "" || one.layout?.toLowerCase() === layout),
  );
  return jsonResponse(200, { TotalCount: all.length, Templates: all.slice(offset, offset + count).map(summary) });
};

/** Returns a template: `GET /templates/:id`. */
export const getTemplate: Handler = async (call) => {
  const template = await known(call);
  const { subject, html, text } = template;
  const bodies = { Subject: subject, HtmlBody: html, TextBody: text };
  return jsonResponse(200, { ...summary(template), ...bodies, AssociatedServerId: 1 });
};

/** Changes a template: `PUT /templates/:id`. */
export const editTemplate: Handler = async (call) => {
  const present = await known(call);
  const { id } = present;
  const { html, text, ...value } = await readTemplate(call, present);
  const isStored = await openBodies(call).store(String(id), { id, alias: value.alias, html, text }, present);
  if (!isStored) throw aliasTaken(value);
  await openSummaries(call).put(String(id), { id, ...value });
  return jsonResponse(200, summary({ id, ...value }));
};

/** Removes a template: `DELETE /templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  const template = await known(call);
  const alias = template.alias?.toLowerCase();
  const isUsed = (await openSummaries(call).all()).some(
    ({ layout }) => alias !== undefined && layout?.toLowerCase() === alias,
  );
  if (isUsed) {
    throw rejection(1130, "The layout template cannot be deleted because it has dependent templates using it.");
  }
  await openSummaries(call).remove(String(template.id));
  await openBodies(call).discard(String(template.id), template);
  return jsonResponse(200, { ErrorCode: 0, Message: `Template ${template.id} removed.` });
};

async function known(call: Call): Promise<PostmarkTemplate> {
  const { id = "" } = call.request.params;
  const template = await findTemplate(call, id);
  if (template === undefined) throw rejection(1101, /^\d+$/.test(id) ? texts.templateId : texts.templateAlias);
  return template;
}

function aliasTaken({ alias }: Pick<PostmarkTemplate, "alias">): Rejection {
  return rejection(1122, `The alias '${alias ?? ""}' is already in use.`);
}

function summary({ id, name, alias, type, layout }: TemplateSummary): JsonObject {
  return { TemplateId: id, Name: name, Active: true, Alias: alias, TemplateType: type, LayoutTemplate: layout };
}

const nameLengthMax = 255;
const subjectLengthMax = 2000;
/** UTF-8 bytes of HtmlBody or TextBody. */
const bodyBytesMax = 400_000;

type NewTemplate = Omit<PostmarkTemplate, "id">;

const names = ["Name", "Subject", "HtmlBody", "TextBody", "Alias", "LayoutTemplate", "TemplateType"];

const emptyTemplate = { name: null, alias: null, subject: null, html: null, text: null, layout: null } as const;

/** Reads a template; members that are absent keep their present value. Throws a rejection, also for an unknown layout. */
async function readTemplate(call: Call, present: PostmarkTemplate | null): Promise<NewTemplate> {
  const fields = readFields(call.request);
  if (!names.some((name) => fields.has(name))) throw rejection(1109, "No Template data received.");
  const kept = present ?? { ...emptyTemplate, type: readType(fields) };
  const { type } = kept;
  const name = fields.text("Name") ?? kept.name;
  if (name === null) throw rejection(1120, "The 'Name' of the template is required.");
  const given = (field: string, value: string | null): string | null =>
    fields.has(field) ? fields.text(field) : value;
  const alias = fields.text("Alias") ?? kept.alias;
  const value: NewTemplate = {
    type,
    name,
    alias: alias === null && type === "Layout" ? aliasOf(name) : alias,
    subject: type === "Layout" ? null : (fields.text("Subject") ?? kept.subject),
    html: given("HtmlBody", kept.html),
    text: given("TextBody", kept.text),
    layout: given("LayoutTemplate", kept.layout),
  };
  checkRequired(value);
  if (name.length > nameLengthMax) throw tooLarge("Name");
  checkSources(value);
  checkPlaceholders(value);
  await checkLayout(call, value);
  return value;
}

function readType(fields: Fields): PostmarkTemplate["type"] {
  const type = fields.text("TemplateType") ?? "Standard";
  if (type !== "Standard" && type !== "Layout") {
    throw rejection(1122, "The 'TemplateType' must be 'Standard' or 'Layout'.");
  }
  return type;
}

/** Returns an alias from the name of a layout, which has always one. */
function aliasOf(name: string): string {
  const text = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-$/g, "")
    .slice(0, 80);
  return `${text === "" ? "layout" : text}-${randomUUID().slice(0, 8)}`;
}

function checkRequired({ type, alias, subject, html, text }: NewTemplate): void {
  if (html === null && text === null) throw rejection(1120, "An 'HtmlBody' or 'TextBody' is required.");
  if (type === "Standard" && subject === null) throw rejection(1120, "The 'Subject' is required.");
  if (alias === null || isAlias(alias)) return;
  throw rejection(
    1122,
    "The 'Alias' must start with a letter and may only contain letters, numbers, '.', '-' and '_'.",
  );
}

/** Throws a rejection with code 1121 for sources that exceed the limits of a template. */
export function checkSources({ subject, html, text }: Pick<NewTemplate, "subject" | "html" | "text">): void {
  if ((subject ?? "").length > subjectLengthMax) throw tooLarge("Subject");
  if (Buffer.byteLength(html ?? "") > bodyBytesMax) throw tooLarge("HtmlBody");
  if (Buffer.byteLength(text ?? "") > bodyBytesMax) throw tooLarge("TextBody");
}

function checkPlaceholders({ type, html, text }: NewTemplate): void {
  for (const [part, source] of Object.entries({ HtmlBody: html, TextBody: text })) {
    const message = source === null ? undefined : placeholderError({ type, part, source });
    if (message !== undefined) throw rejection(1131, message);
  }
}

function tooLarge(name: string): Rejection {
  return rejection(1121, `The '${name}' of the template is too large.`);
}

interface PlacedBody extends Pick<PostmarkTemplate, "type"> {
  readonly part: string;
  readonly source: string;
}

/** Returns the error of a body that has the wrong number of content placeholders; undefined for none. */
export function placeholderError({ type, part, source }: PlacedBody): string | undefined {
  const count = [...source.matchAll(contentPlaceholder)].length;
  if (type === "Layout" && count !== 1) {
    return `The layout content placeholder must be present exactly once in the ${part}.`;
  }
  return type === "Standard" && count > 0
    ? "The layout content placeholder is only allowed in the body of a layout template."
    : undefined;
}

/** Throws a rejection with code 1101 unless the layout of a template exists; a layout has none. */
async function checkLayout(call: Call, { layout, type }: NewTemplate): Promise<void> {
  if (type === "Layout" && layout !== null) throw rejection(1101, texts.layout);
  await findLayout(call, layout, texts.layout);
}
