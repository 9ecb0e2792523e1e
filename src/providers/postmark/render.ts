import { Problem } from "../../core/errors.ts";
import type { SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { ProviderServices, ProviderSession } from "../provider.ts";
import { PostmarkRejection, texts } from "./errors.ts";
import type { Fields } from "./fields.ts";
import type { PostmarkContent } from "./request.ts";
import { findTemplate, type PostmarkTemplate } from "./templates.ts";

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
    throw new PostmarkRejection(1123, texts.contentBesideTemplate);
  }
  const id = fields.value("TemplateId");
  const alias = fields.text("TemplateAlias");
  if (!fields.has("TemplateModel")) throw new PostmarkRejection(1120, "A 'TemplateModel' is required.");
  const model = fields.object("TemplateModel") ?? {};
  // PHP sends a TemplateId of 0 beside the alias.
  if (alias !== null && (id === null || id === 0)) return { id: alias, isAlias: true, model };
  if (typeof id === "number" || (typeof id === "string" && /^\d+$/.test(id))) {
    return { id: String(id), isAlias: false, model };
  }
  throw new PostmarkRejection(1120, "A 'TemplateId' or 'TemplateAlias' is required.");
}

interface Renderer {
  readonly session: ProviderSession;
  readonly services: ProviderServices;
}

/** Renders the template of a message; throws rejections with code 1101, and 1122 with the error of the template. */
export async function renderMessage(
  { id, isAlias, model }: TemplateReference,
  { session, services }: Renderer,
): Promise<{ readonly content: PostmarkContent; readonly template: SubmittedEmail["facts"]["template"] }> {
  const template = await findTemplate(session, id);
  if (template?.type !== "Standard") {
    throw new PostmarkRejection(1101, isAlias ? texts.templateAlias : texts.templateId);
  }
  const layout = template.layout === null ? undefined : await findTemplate(session, template.layout);
  const rendered = await render(inLayout(template, layout), model, services);
  const { subject = "", text = null, html = null } = rendered;
  return { content: { subject, text, html }, template: { id, data: model } };
}

async function render(
  sources: Readonly<Record<string, string>>,
  data: JsonObject,
  services: ProviderServices,
): Promise<{ readonly subject?: string; readonly text?: string; readonly html?: string }> {
  try {
    return await services.renderTemplates({ language: "mustache", sources, data });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_request") throw error;
    throw new PostmarkRejection(1122, error.fields[0]?.description ?? error.message);
  }
}

/** Returns the sources of a template, its bodies in those of its layout. */
export function inLayout(
  { subject, text, html }: Pick<PostmarkTemplate, "subject" | "text" | "html">,
  layout: PostmarkTemplate | undefined,
): Readonly<Record<string, string>> {
  const put = (body: string | null, frame: string | null | undefined): string | null =>
    body === null || frame === null || frame === undefined ? body : frame.replaceAll(contentPlaceholder, () => body);
  const bodies = { subject, text: put(text, layout?.text), html: put(html, layout?.html) };
  return Object.fromEntries(
    Object.entries(bodies).flatMap(([name, source]) => (source === null ? [] : [[name, source]])),
  );
}
