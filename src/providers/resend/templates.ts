/** Templates: https://resend.com/docs/api-reference/templates/create-template */
import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { DraftMailbox, ProviderObjects } from "../email.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { showUnstoredTemplate } from "../unstored-template.ts";
import { answered, invalidResendField, resendError, ResendRejection } from "./errors.ts";
import { readResendBody, type ResendSend, type TemplateChoice } from "./request.ts";
import { instantText, objectResponse } from "./response.ts";

const kind = "template";
/** Object that leads from an alias to the id of its template. */
const aliasKind = "template alias";
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

interface Caller {
  readonly session: { readonly objects: ProviderObjects };
  readonly services: Pick<ProviderServices, "renderTemplates">;
}

/** Subject, bodies and sender of a mail with a template. */
export type RenderedTemplate = Pick<ResendSend["draft"], "subject" | "text" | "html" | "from">;

/**
 * Renders a template; one that is not stored is shown with its id and variables. The mail's own subject and sender take
 * precedence. Throws {@link ResendRejection} for a template that is not published and for a variable without a value.
 */
export async function renderTemplate(
  { id, variables }: TemplateChoice,
  own: Pick<ResendSend["draft"], "subject" | "from">,
  { session, services }: Caller,
): Promise<RenderedTemplate> {
  const template = await findTemplate(session.objects, id);
  if (template === undefined) {
    const shown = showUnstoredTemplate(id, variables);
    return { ...shown, subject: own.subject === "" ? shown.subject : own.subject, html: null, from: own.from };
  }
  if (template.published === null) throw new ResendRejection(invalidResendField("The template is not published."));
  const content = template.published;
  const data = valuesOf(content, variables);
  const { subject = null, text = null, html = null } = await renderContent(content, data, services);
  return {
    subject: own.subject === "" ? (subject ?? "") : own.subject,
    text,
    html,
    from: own.from ?? senderOf(content),
  };
}

async function renderContent(
  { subject, text, html }: TemplateContent,
  data: Readonly<Record<string, string | number>>,
  { renderTemplates }: Caller["services"],
): Promise<Readonly<Record<string, string>>> {
  const sources = Object.entries({ subject, text, html }).flatMap(([name, source]) =>
    source === null ? [] : [[name, source] as const],
  );
  try {
    return await renderTemplates({ language: "variables", sources: Object.fromEntries(sources), data });
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_request") {
      throw new ResendRejection(invalidResendField(error.fields[0]?.description ?? error.message));
    }
    throw error;
  }
}

function valuesOf(
  content: TemplateContent,
  given: TemplateChoice["variables"],
): Readonly<Record<string, string | number>> {
  const fallbacks = content.variables.map(({ key, fallback_value: fallback }) => [key, fallback] as const);
  const absent = fallbacks.filter(([key, fallback]) => fallback === null && !Object.hasOwn(given, key));
  if (absent.length > 0) {
    const names = absent.map(([key]) => key).join(", ");
    throw new ResendRejection(invalidResendField(`Missing values of template variables: ${names}`));
  }
  const present = fallbacks.flatMap(([key, fallback]) => (fallback === null ? [] : [[key, fallback] as const]));
  return { ...Object.fromEntries(present), ...given };
}

function senderOf({ from }: TemplateContent): DraftMailbox | null {
  return from === null ? null : (parseMailbox(from) ?? null);
}

/** Creates a template: `POST /templates`. */
export async function createTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "send");
  return answered(async () => {
    const draft = readContent(readResendBody(request.body), null);
    if (draft.name === null) throw missing("name");
    if (draft.html === null) throw missing("html");
    const now = services.now();
    const id = randomUUID();
    await putTemplate(objects, { id, draft, published: null, createdAt: now, updatedAt: now, publishedAt: null });
    return objectResponse("template", id);
  });
}

/** Changes the draft of a template: `PATCH /templates/:id`. */
export async function updateTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  return changed(request, services, (template) => {
    return { ...template, draft: readContent(readResendBody(request.body), template.draft), updatedAt: services.now() };
  });
}

/** Publishes the draft of a template: `POST /templates/:id/publish`. */
export async function publishTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  return changed(request, services, (template) => {
    return { ...template, published: template.draft, publishedAt: services.now(), updatedAt: services.now() };
  });
}

/** Copies a template as a draft: `POST /templates/:id/duplicate`. */
export async function duplicateTemplate(
  request: ProviderRequest,
  services: ProviderServices,
): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "send");
  return answered(async () => {
    const { draft } = await openTemplate(objects, request);
    const now = services.now();
    const id = randomUUID();
    const copy = { ...draft, name: `${draft.name ?? ""} (Copy)`, alias: null };
    await putTemplate(objects, { id, draft: copy, published: null, createdAt: now, updatedAt: now, publishedAt: null });
    return objectResponse("template", id);
  });
}

/** Returns a template: `GET /templates/:id`. */
export async function getTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "read");
  return answered(async () =>
    jsonResponse(200, { object: "template", ...resource(await openTemplate(objects, request)) }),
  );
}

/** Lists templates, oldest first: `GET /templates`. */
export async function listTemplates(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "read");
  const templates = (await objects.list(kind)).map(({ value }) => value as Template);
  const data = templates.map((template) => {
    const { subject: _subject, text: _text, html: _html, variables: _variables, ...shown } = resource(template);
    return shown;
  });
  return jsonResponse(200, { object: "list", data, has_more: false });
}

/** Removes a template: `DELETE /templates/:id`. */
export async function deleteTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "send");
  return answered(async () => {
    const { id, draft } = await openTemplate(objects, request);
    await objects.remove(kind, id);
    if (draft.alias !== null) await objects.remove(aliasKind, draft.alias);
    return jsonResponse(200, { object: "template", id, deleted: true });
  });
}

async function changed(
  request: ProviderRequest,
  services: ProviderServices,
  change: (template: Template) => Template,
): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "send");
  return answered(async () => {
    const template = await openTemplate(objects, request);
    const next = change(template);
    if (template.draft.alias !== null && template.draft.alias !== next.draft.alias) {
      await objects.remove(aliasKind, template.draft.alias);
    }
    await putTemplate(objects, next);
    return objectResponse("template", template.id);
  });
}

async function putTemplate(objects: ProviderObjects, template: Template): Promise<void> {
  const { alias } = template.draft;
  if (alias !== null) {
    const owner = await objects.get(aliasKind, alias);
    if (owner !== undefined && owner.value !== template.id) {
      throw new ResendRejection(invalidResendField("The template alias is already in use."));
    }
    await objects.put(aliasKind, alias, { value: template.id });
  }
  await objects.put(kind, template.id, { value: template });
}

async function openTemplate(objects: ProviderObjects, { params }: ProviderRequest): Promise<Template> {
  const template = await findTemplate(objects, params["id"] ?? "");
  if (template === undefined) throw new ResendRejection(resendError("not_found", "Template not found"));
  return template;
}

/** Returns the template with an id or alias. */
async function findTemplate(objects: ProviderObjects, idOrAlias: string): Promise<Template | undefined> {
  if (idOrAlias.length > nameLengthMax) return undefined;
  const alias = await objects.get(aliasKind, idOrAlias);
  const id = typeof alias?.value === "string" ? alias.value : idOrAlias;
  return (await objects.get(kind, id))?.value as Template | undefined;
}

/** Reads the fields of a template; absent ones keep their value in `present`. */
function readContent(body: unknown, present: TemplateContent | null): TemplateContent {
  if (!isJsonObject(body)) throw new ResendRejection(invalidResendField("The request body must be a JSON object."));
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
    throw new ResendRejection(invalidResendField(`Invalid \`${name}\` field.`));
  }
  if (name === "from") requireMailbox(value);
  return value;
}

function requireMailbox(from: string): void {
  if (parseMailbox(from) === undefined) throw new ResendRejection(invalidResendField("Invalid `from` field."));
}

function readVariables(value: unknown): readonly TemplateVariable[] {
  const invalid = new ResendRejection(invalidResendField("Invalid `variables` field."));
  if (!Array.isArray(value) || value.length > 50) throw invalid;
  return value.map((one: unknown) => {
    const { key, type, fallback_value: fallback = null } = isJsonObject(one) ? one : {};
    if (typeof key !== "string" || !/^\w{1,50}$/.test(key) || (type !== "string" && type !== "number")) throw invalid;
    if (fallback !== null && typeof fallback !== type) throw invalid;
    return { key, type, fallback_value: fallback as TemplateVariable["fallback_value"] };
  });
}

function resource(template: Template): Readonly<Record<string, unknown>> {
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

function missing(field: string): ResendRejection {
  return new ResendRejection(resendError("missing_required_field", `Missing \`${field}\` field.`));
}
