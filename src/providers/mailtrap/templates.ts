/** Templates: https://docs.mailtrap.io/developers/email-sending/templates */
import { randomUUID } from "node:crypto";
import type { EmailDraft, ProviderFacts } from "../email.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { aliasedCollectionOf } from "../kit/objects.ts";
import { renderBodies, showUnstoredTemplate } from "../kit/templates.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { errors } from "./errors.ts";
import { readMailtrapObject } from "./request.ts";

const textFields = ["name", "category", "subject", "body_html", "body_text"] as const;
const required = ["name", "category", "subject"] as const;
type TemplateTexts = Readonly<Record<(typeof textFields)[number], string>>;

/** Template as it is stored and shown. */
interface Template extends TemplateTexts {
  readonly id: number;
  readonly uuid: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const idMin = 10_000;
const idMax = 10_000_000;

const openTemplates = aliasedCollectionOf<Template>("template", ({ uuid }) => uuid);

/** Renders a template; one that is not stored is shown with its id and variables. Rejects for one that cannot be rendered. */
export async function renderTemplate(
  { id, data }: NonNullable<ProviderFacts["template"]>,
  call: Pick<Call, "session" | "services">,
): Promise<Pick<EmailDraft, "subject" | "text" | "html">> {
  const template = await openTemplates(call).findAny(id);
  if (template === undefined) return showUnstoredTemplate(id, data);
  const { subject, body_html: html, body_text: text } = template;
  const sources = { subject, text: text || null, html: html || null };
  const rendered = await renderBodies(call.services, { language: "handlebars", sources, data }, (detail) =>
    errors.invalid([`template rendering failed: ${detail}`]),
  );
  return { ...rendered, subject: rendered.subject ?? "" };
}

/** Creates a template: `POST /api/accounts/:account/email_templates`. */
export const createTemplate: Handler = async (call) => {
  const texts = readTexts(call, { name: "", category: "", subject: "", body_html: "", body_text: "" });
  const at = new Date(call.services.now()).toISOString();
  const uuid = randomUUID();
  const created = await openTemplates(call).createNumbered(idMin, idMax, (id) => {
    return { id, uuid, ...texts, created_at: at, updated_at: at };
  });
  return jsonResponse(201, created);
};

/** Lists templates, newest first: `GET /api/accounts/:account/email_templates`. */
export const listTemplates: Handler = async (call) => jsonResponse(200, (await openTemplates(call).all()).toReversed());

/** Returns a template: `GET /api/accounts/:account/email_templates/:id`. */
export const getTemplate: Handler = async (call) => jsonResponse(200, await openTemplate(call));

/** Changes a template: `PATCH /api/accounts/:account/email_templates/:id`. */
export const updateTemplate: Handler = async (call) => {
  const present = await openTemplate(call);
  const updated = { ...present, ...readTexts(call, present), updated_at: new Date(call.services.now()).toISOString() };
  await openTemplates(call).store(String(present.id), updated, present);
  return jsonResponse(200, updated);
};

/** Removes a template: `DELETE /api/accounts/:account/email_templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  const template = await openTemplate(call);
  await openTemplates(call).discard(String(template.id), template);
  return noContent;
};

async function openTemplate(call: Call): Promise<Template> {
  return openTemplates(call).open(call.request.params["id"] ?? "", errors.notFound);
}

/** Reads the texts of a template; absent ones keep their value in `present`. */
function readTexts({ request }: Call, present: TemplateTexts): TemplateTexts {
  const { email_template: given } = readMailtrapObject(request.body);
  const fields: JsonObject = isJsonObject(given) ? given : {};
  const texts = textFields.map((field) => [field, fields[field] ?? present[field]] as const);
  const wrong = texts.find(([, value]) => typeof value !== "string");
  if (wrong !== undefined) throw errors.invalidField(wrong[0], "is invalid");
  const read = Object.fromEntries(texts) as unknown as TemplateTexts;
  const blank = required.find((field) => read[field].trim() === "");
  if (blank !== undefined) throw errors.invalidField(blank, "can't be blank");
  return read;
}
