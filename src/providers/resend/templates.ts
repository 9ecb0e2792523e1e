/** Templates: https://resend.com/docs/api-reference/templates/create-template */
import { randomUUID } from "node:crypto";
import type { DraftMailbox } from "../email.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { renderBodies, showUnstoredTemplate } from "../kit/templates.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { readResendBody, type ResendSend, type TemplateChoice } from "./request.ts";
import { instantText, objectResponse } from "./response.ts";

const texts = ["name", "alias", "from", "subject", "reply_to", "text", "html"] as const;
const nameLengthMax = 200;

type TextField = (typeof texts)[number];

interface TemplateVariable {
  readonly key: string;
  readonly type: "string" | "number";
  readonly fallback_value: string | number | null;
}

/** Template as it is stored; a published one is used until the next version is published. */
interface Template {
  readonly id: string;
  readonly draft: TemplateContent;
  readonly published: TemplateContent | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly publishedAt: number | null;
}

interface TemplateContent extends Readonly<Record<TextField, string | null>> {
  readonly variables: readonly TemplateVariable[];
}

/** Templates of a caller by id, and their ids by alias. */
function openTemplates({ session }: Pick<Call, "session">) {
  return {
    byId: new Collection<Template>(session, "template"),
    idsByAlias: new Collection<string>(session, "template alias"),
  };
}

/** Subject, bodies and sender of a mail with a template. */
type RenderedTemplate = Pick<ResendSend["draft"], "subject" | "text" | "html" | "from">;

/**
 * Renders a template; one that is not stored is shown with its id and variables. The mail's own subject and sender take
 * precedence. Rejects for a template that is not published and for a variable without a value.
 */
export async function renderTemplate(
  { id, variables }: TemplateChoice,
  own: Pick<ResendSend["draft"], "subject" | "from">,
  call: Pick<Call, "session" | "services">,
): Promise<RenderedTemplate> {
  const template = await findTemplate(call, id);
  if (template === undefined) {
    const shown = showUnstoredTemplate(id, variables);
    return { ...shown, subject: own.subject === "" ? shown.subject : own.subject, html: null, from: own.from };
  }
  if (template.published === null) throw invalid("The template is not published.");
  const { published } = template;
  const { subject, text, html } = published;
  const job = {
    language: "variables",
    sources: { subject, text, html },
    data: valuesOf(published, variables),
  } as const;
  const rendered = await renderBodies(call.services, job, invalid);
  return {
    ...rendered,
    subject: own.subject === "" ? (rendered.subject ?? "") : own.subject,
    from: own.from ?? senderOf(published),
  };
}

function valuesOf(
  content: TemplateContent,
  given: TemplateChoice["variables"],
): Readonly<Record<string, string | number>> {
  const fallbacks = content.variables.map(({ key, fallback_value: fallback }) => [key, fallback] as const);
  const absent = fallbacks.filter(([key, fallback]) => fallback === null && !Object.hasOwn(given, key));
  if (absent.length > 0) {
    const names = absent.map(([key]) => key).join(", ");
    throw invalid(`Missing values of template variables: ${names}`);
  }
  const present = fallbacks.flatMap(([key, fallback]) => (fallback === null ? [] : [[key, fallback] as const]));
  return { ...Object.fromEntries(present), ...given };
}

function senderOf({ from }: TemplateContent): DraftMailbox | null {
  return from === null ? null : (parseMailbox(from) ?? null);
}

/** Creates a template: `POST /templates`. */
export const createTemplate: Handler = async (call) => {
  const draft = readContent(readResendBody(call.request.body), null);
  if (draft.name === null) throw missing("name");
  if (draft.html === null) throw missing("html");
  return createDraft(call, draft);
};

/** Changes the draft of a template: `PATCH /templates/:id`. */
export const updateTemplate: Handler = async (call) =>
  change(call, ({ draft }) => ({ draft: readContent(readResendBody(call.request.body), draft) }));

/** Publishes the draft of a template: `POST /templates/:id/publish`. */
export const publishTemplate: Handler = async (call) =>
  change(call, ({ draft }) => ({ published: draft, publishedAt: call.services.now() }));

/** Copies a template as a draft: `POST /templates/:id/duplicate`. */
export const duplicateTemplate: Handler = async (call) => {
  const { draft } = await openTemplate(call);
  return createDraft(call, { ...draft, name: `${draft.name ?? ""} (Copy)`, alias: null });
};

/** Returns a template: `GET /templates/:id`. */
export const getTemplate: Handler = async (call) =>
  jsonResponse(200, { object: "template", ...resource(await openTemplate(call)) });

/** Lists templates, oldest first: `GET /templates`. */
export const listTemplates: Handler = async (call) => {
  const data = (await openTemplates(call).byId.all()).map((template) => {
    const { subject: _subject, text: _text, html: _html, variables: _variables, ...shown } = resource(template);
    return shown;
  });
  return jsonResponse(200, { object: "list", data, has_more: false });
};

/** Removes a template: `DELETE /templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  const { byId, idsByAlias } = openTemplates(call);
  const { id, draft } = await openTemplate(call);
  await byId.remove(id);
  if (draft.alias !== null) await idsByAlias.remove(draft.alias);
  return jsonResponse(200, { object: "template", id, deleted: true });
};

async function createDraft(call: Call, draft: TemplateContent): Promise<ProviderResponse> {
  const id = randomUUID();
  const now = call.services.now();
  return putTemplate(call, { id, draft, published: null, createdAt: now, updatedAt: now, publishedAt: null });
}

async function change(call: Call, changed: (template: Template) => Partial<Template>): Promise<ProviderResponse> {
  const template = await openTemplate(call);
  const next = { ...template, ...changed(template), updatedAt: call.services.now() };
  const { alias } = template.draft;
  if (alias !== null && alias !== next.draft.alias) await openTemplates(call).idsByAlias.remove(alias);
  return putTemplate(call, next);
}

async function putTemplate(call: Call, template: Template): Promise<ProviderResponse> {
  const { byId, idsByAlias } = openTemplates(call);
  const { id, draft } = template;
  if (draft.alias !== null) {
    const owner = await idsByAlias.find(draft.alias);
    if (owner !== undefined && owner !== id) throw invalid("The template alias is already in use.");
    await idsByAlias.put(draft.alias, id);
  }
  await byId.put(id, template);
  return objectResponse("template", id);
}

async function openTemplate(call: Call): Promise<Template> {
  const template = await findTemplate(call, call.request.params["id"] ?? "");
  if (template === undefined) throw rejection("not_found", "Template not found");
  return template;
}

/** Returns the template with an id or alias. */
async function findTemplate(call: Pick<Call, "session">, idOrAlias: string): Promise<Template | undefined> {
  const { byId, idsByAlias } = openTemplates(call);
  return byId.find((await idsByAlias.find(idOrAlias)) ?? idOrAlias);
}

/** Reads the fields of a template; absent ones keep their value in `present`. */
function readContent(body: unknown, present: TemplateContent | null): TemplateContent {
  if (!isJsonObject(body)) throw invalid("The request body must be a JSON object.");
  const fields = Object.fromEntries(texts.map((name) => [name, readField(body, name, present)]));
  const variables = body["variables"] === undefined ? (present?.variables ?? []) : readVariables(body["variables"]);
  return { ...(fields as Record<TextField, string | null>), variables };
}

function readField(body: JsonObject, name: TextField, present: TemplateContent | null): string | null {
  const given = body[name];
  if (given === undefined) return present?.[name] ?? null;
  if (given === null) return null;
  const value = Array.isArray(given) ? given.join(", ") : given;
  const lengthMax = name === "html" || name === "text" ? Number.POSITIVE_INFINITY : nameLengthMax;
  if (typeof value !== "string" || value.length > lengthMax) {
    throw invalid(`Invalid \`${name}\` field.`);
  }
  if (name === "from") requireMailbox(value);
  return value;
}

function requireMailbox(from: string): void {
  if (parseMailbox(from) === undefined) throw invalid("Invalid `from` field.");
}

function readVariables(value: unknown): readonly TemplateVariable[] {
  const failed = invalid("Invalid `variables` field.");
  if (!Array.isArray(value) || value.length > 50) throw failed;
  return value.map((one: unknown) => {
    const { key, type, fallback_value: fallback = null } = isJsonObject(one) ? one : {};
    if (typeof key !== "string" || !/^\w{1,50}$/.test(key) || (type !== "string" && type !== "number")) throw failed;
    if (fallback !== null && typeof fallback !== type) throw failed;
    return { key, type, fallback_value: fallback as TemplateVariable["fallback_value"] };
  });
}

function resource(template: Template): JsonObject {
  const { id, draft, published, createdAt, updatedAt, publishedAt } = template;
  return {
    id,
    ...draft,
    created_at: instantText(createdAt),
    updated_at: instantText(updatedAt),
    status: published === null ? "draft" : "published",
    published_at: publishedAt === null ? null : instantText(publishedAt),
    has_unpublished_versions: published === null || JSON.stringify(published) !== JSON.stringify(draft),
  };
}
