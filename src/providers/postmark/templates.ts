/** Templates as they are stored, by id and by alias (https://postmarkapp.com/developer/api/templates-api), and their rendering. */
import { randomInt } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
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

/** Template or layout. */
export type PostmarkTemplate = TemplateSummary & TemplateBodies;

const attemptCountMax = 20;
const idPattern = /^\d{1,10}$/;
/** Aliases start with a letter; letters, digits, `.`, `-` and `_` follow. */
const aliasPattern = /^[a-z][\w.-]{0,99}$/i;

/** Returns whether a text can be an alias. */
export function isAlias(text: string): boolean {
  return aliasPattern.test(text);
}

/** Templates of a caller; summaries and bodies are separate objects, so that lists read no bodies. */
function openTemplates({ session }: Owner) {
  return {
    summaries: new Collection<TemplateSummary>(session, "template"),
    bodies: new Collection<TemplateBodies>(session, "bodies"),
    idsByAlias: new Collection<string>(session, "alias"),
  };
}

type Owner = Pick<Call, "session">;

/** Returns a template by its id or alias; undefined for an unknown one. */
export async function findTemplate(owner: Owner, idOrAlias: string): Promise<PostmarkTemplate | undefined> {
  const { summaries, bodies, idsByAlias } = openTemplates(owner);
  const id = idPattern.test(idOrAlias) ? idOrAlias : await idsByAlias.find(idOrAlias.toLowerCase());
  const summary = id === undefined ? undefined : await summaries.find(id);
  if (id === undefined || summary === undefined) return undefined;
  return { html: null, text: null, ...(await bodies.find(id)), ...summary };
}

/** Returns the summaries of all templates in the order of their creation. */
export async function listTemplates(owner: Owner): Promise<readonly TemplateSummary[]> {
  return openTemplates(owner).summaries.all();
}

/** Stores a new template; undefined when its alias is taken. */
export async function createTemplate(
  owner: Owner,
  { html, text, ...summary }: Omit<PostmarkTemplate, "id">,
): Promise<TemplateSummary | undefined> {
  const { summaries, bodies, idsByAlias } = openTemplates(owner);
  for (let attempt = 0; attempt < attemptCountMax; attempt += 1) {
    const value: TemplateSummary = { ...summary, id: randomInt(10_000_000, 100_000_000) };
    const id = String(value.id);
    if (!(await bodies.create(id, { html, text }))) continue;
    if (value.alias === null || (await idsByAlias.create(value.alias.toLowerCase(), id))) {
      await summaries.put(id, value);
      return value;
    }
    await bodies.remove(id);
    return undefined;
  }
  throw new Problem("too_many_requests", { retryAfterSeconds: 1 });
}

/** Replaces a template; false when its new alias is taken. */
export async function putTemplate(
  owner: Owner,
  present: TemplateSummary,
  { html, text, ...value }: PostmarkTemplate,
): Promise<boolean> {
  const { summaries, bodies, idsByAlias } = openTemplates(owner);
  const id = String(value.id);
  const [before, after] = [present.alias?.toLowerCase(), value.alias?.toLowerCase()];
  if (before !== after && after !== undefined && !(await idsByAlias.create(after, id))) return false;
  await bodies.put(id, { html, text });
  await summaries.put(id, value);
  if (before !== after && before !== undefined) await idsByAlias.remove(before);
  return true;
}

/** Removes a template and its alias. */
export async function removeTemplate(owner: Owner, { id, alias }: TemplateSummary): Promise<void> {
  const { summaries, bodies, idsByAlias } = openTemplates(owner);
  await summaries.remove(String(id));
  await bodies.remove(String(id));
  if (alias !== null) await idsByAlias.remove(alias.toLowerCase());
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
