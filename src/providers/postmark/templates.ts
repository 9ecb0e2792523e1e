/** Templates as they are stored, by id and by alias (https://postmarkapp.com/developer/api/templates-api), and their rendering. */
import type { SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call } from "../kit/endpoints.ts";
import { aliasedCollectionOf, collectionOf } from "../kit/objects.ts";
import { renderBodies, type Bodies } from "../kit/templates.ts";
import { rejection, texts } from "./errors.ts";
import type { Fields, PostmarkContent } from "./request.ts";

/** Template or layout without its bodies. */
export interface TemplateSummary {
  readonly id: number;
  readonly type: "Standard" | "Layout";
  readonly name: string;
  /** Null without one. */
  readonly alias: string | null;
  /** Null for layouts. */
  readonly subject: string | null;
  /** Alias of the layout; null without one. */
  readonly layout: string | null;
}

/** Bodies of a template or layout; null for none. */
export interface TemplateBodies {
  readonly html: string | null;
  readonly text: string | null;
}

type StoredBodies = TemplateBodies & Pick<TemplateSummary, "id" | "alias">;

/** Template or layout. */
export type PostmarkTemplate = TemplateSummary & TemplateBodies;

/** Returns whether a text can be an alias: it starts with a letter; letters, digits, `.`, `-` and `_` follow. */
export function isAlias(text: string): boolean {
  return /^[a-z][\w.-]{0,99}$/i.test(text);
}

type Owner = Pick<Call, "session">;

/** Templates of a caller by id, without their bodies, which lists do not read. */
export const openSummaries = collectionOf<TemplateSummary>("template");

/** Bodies of the templates of a caller, by id and alias. */
export const openBodies = aliasedCollectionOf<StoredBodies>("bodies", ({ alias }) => alias?.toLowerCase() ?? null);

/** Returns a template by its id or alias; undefined for an unknown one. */
export async function findTemplate(owner: Owner, idOrAlias: string): Promise<PostmarkTemplate | undefined> {
  const bodies = await openBodies(owner).findAny(idOrAlias.toLowerCase());
  const summary = bodies && (await openSummaries(owner).find(String(bodies.id)));
  return summary && { ...bodies, ...summary };
}

/** Returns the layout with this alias, undefined for null; throws a rejection with code 1101 and the text for an unknown one. */
export async function findLayout(
  owner: Owner,
  alias: string | null,
  text: string,
): Promise<PostmarkTemplate | undefined> {
  const layout = alias === null ? undefined : await findTemplate(owner, alias);
  if (alias !== null && layout?.type !== "Layout") throw rejection(1101, text);
  return layout;
}

/** Place in a layout where the body of a template is put. */
export const contentPlaceholder: RegExp = /\{\{\{\s*@content\s*\}\}\}/g;

/** Template of a message and the model it is rendered with. */
export interface TemplateReference {
  readonly id: string;
  /** Whether the request names an alias. */
  readonly isAlias: boolean;
  readonly model: JsonObject;
}

/** Reads the template of a message. */
export function readTemplateReference(fields: Fields): TemplateReference {
  if (["Subject", "TextBody", "HtmlBody"].some((name) => fields.value(name) !== null)) {
    throw rejection(1123, texts.contentBesideTemplate);
  }
  const id = fields.value("TemplateId");
  const alias = fields.text("TemplateAlias");
  if (!fields.has("TemplateModel")) throw rejection(1120, "A 'TemplateModel' is required.");
  const model = fields.object("TemplateModel") ?? {};
  // PHP sends a TemplateId of 0 beside the alias.
  if (alias !== null && (id === null || id === 0)) return { id: alias, isAlias: true, model };
  if (typeof id === "number" || (typeof id === "string" && /^\d+$/.test(id))) {
    return { id: String(id), isAlias: false, model };
  }
  throw rejection(1120, "A 'TemplateId' or 'TemplateAlias' is required.");
}

/** Renders the template of a message; throws rejections with code 1101, and 1122 with the error of the template. */
export async function renderMessage(
  { id, isAlias, model }: TemplateReference,
  call: Pick<Call, "session" | "services">,
): Promise<{ readonly content: PostmarkContent; readonly template: SubmittedEmail["facts"]["template"] }> {
  const template = await findTemplate(call, id);
  if (template?.type !== "Standard") throw rejection(1101, isAlias ? texts.templateAlias : texts.templateId);
  const layout = template.layout === null ? undefined : await findTemplate(call, template.layout);
  const job = { language: "mustache", sources: inLayout(template, layout), data: model } as const;
  const { subject, text, html } = await renderBodies(call.services, job, (detail) => rejection(1122, detail));
  return { content: { subject: subject ?? "", text, html }, template: { id, data: model } };
}

/** Returns the sources of a template, its bodies in those of its layout. */
export function inLayout({ subject, text, html }: Bodies, layout: TemplateBodies | undefined): Bodies {
  const put = (body: string | null, frame: string | null | undefined): string | null =>
    body === null || frame === null || frame === undefined ? body : frame.replaceAll(contentPlaceholder, () => body);
  return { subject, text: put(text, layout?.text), html: put(html, layout?.html) };
}
