import { randomUUID } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderRequest, type ProviderSession } from "../provider.ts";
import { plainError, resourceNotFound } from "./errors.ts";
import { noContent } from "./response.ts";
import {
  changeTemplate,
  createTemplate,
  findTemplate,
  listTemplates,
  putVersion,
  readSource,
  removeTemplate,
  type IdentifiedTemplate,
  type TemplateVersion,
} from "./templates.ts";

const nameLengthMax = 100;
const pageSizeMax = 200;

/** Creates a template: `POST /v3/templates`. */
export const postTemplate: Handler = async ({ request, session, services }) => {
  const { name, generation = "legacy" } = bodyOf(request);
  if (!isName(name)) throw nameError();
  if (generation !== "legacy" && generation !== "dynamic") {
    throw plainError(400, 'generation must be "legacy" or "dynamic"', "generation");
  }
  const template = await createTemplate(session, { name, generation, now: services.now() });
  return jsonResponse(201, leanTemplate(template));
};

/** Lists templates: `GET /v3/templates`. Without `page_size` all of them, in the older form of the API. */
export const getTemplates: Handler = async ({ request, session }) => {
  const generations = (fieldOf(request.fields, "generations") ?? "legacy").split(",");
  if (!generations.every((one) => one === "legacy" || one === "dynamic")) {
    throw plainError(400, "generations must be legacy, dynamic or both", "generations");
  }
  const all = (await listTemplates(session)).filter(({ generation }) => generations.includes(generation));
  const size = fieldOf(request.fields, "page_size");
  if (size === undefined) return jsonResponse(200, { templates: all.map(leanTemplate) });
  const pageSize = /^\d{1,3}$/.test(size) ? Number(size) : 0;
  if (pageSize < 1 || pageSize > pageSizeMax) throw plainError(400, "page_size must be from 1 to 200", "page_size");
  const start = Math.min(offsetOf(fieldOf(request.fields, "page_token") ?? ""), all.length);
  const page = all.slice(start, start + pageSize);
  const urlOf = (offset: number): string => pageUrl(request, { offset, pageSize, generations });
  const _metadata = {
    ...(start > 0 && { prev: urlOf(Math.max(0, start - pageSize)) }),
    self: urlOf(start),
    ...(start + pageSize < all.length && { next: urlOf(start + pageSize) }),
    count: all.length,
  };
  return jsonResponse(200, { result: page.map(leanTemplate), _metadata });
};

/** Returns the offset in a page token, which is decimal in base64url; 0 for anything else. */
function offsetOf(token: string): number {
  const text = Buffer.from(token, "base64url").toString("latin1");
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

function pageUrl(
  { url }: ProviderRequest,
  page: { readonly offset: number; readonly pageSize: number; readonly generations: readonly string[] },
): string {
  const token = Buffer.from(String(page.offset)).toString("base64url");
  const [base = ""] = url.split("?", 1);
  return `${base}?generations=${page.generations.join(",")}&page_size=${page.pageSize}&page_token=${token}`;
}

/** Returns a template with its versions: `GET /v3/templates/:id`. */
export const getTemplate: Handler = async ({ request, session }) => {
  return jsonResponse(200, await fullTemplate(session, known(await findTemplate(session, idOf(request)))));
};

/** Renames a template: `PATCH /v3/templates/:id`. */
export const patchTemplate: Handler = async ({ request, session, services }) => {
  const { name } = bodyOf(request);
  if (!isName(name)) throw nameError();
  const updatedAt = services.now();
  const template = await changeTemplate(session, idOf(request), (present) => ({ ...present, name, updatedAt }));
  return jsonResponse(200, await fullTemplate(session, known(template)));
};

/** Copies a template with its versions: `POST /v3/templates/:id`. */
export const copyTemplate: Handler = async ({ request, session, services }) => {
  const original = known(await findTemplate(session, idOf(request)));
  const { name = `Duplicate: ${original.name}`.slice(0, nameLengthMax) } = bodyOf(request);
  if (!isName(name)) throw nameError();
  const copy = await createTemplate(session, { ...original, name, now: services.now() });
  for (const version of original.versions) {
    const source = await readSource(session, original.id, version.id);
    const isActive = version.id === original.activeVersion;
    await putVersion(session, copy.id, { version: { ...version, id: randomUUID() }, source, isActive });
  }
  return jsonResponse(201, await fullTemplate(session, (await findTemplate(session, copy.id)) ?? copy));
};

/** Removes a template: `DELETE /v3/templates/:id`. */
export const deleteTemplate: Handler = async ({ request, session }) => {
  if (!(await removeTemplate(session, idOf(request)))) throw resourceNotFound();
  return noContent;
};

function known(template: IdentifiedTemplate | undefined): IdentifiedTemplate {
  if (template === undefined) throw resourceNotFound();
  return template;
}

function nameError(): Rejection {
  return plainError(400, `name must be a string of 1 to ${nameLengthMax} characters`, "name");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= nameLengthMax;
}

function idOf({ params }: ProviderRequest): string {
  return params["id"] ?? "";
}

function bodyOf({ body }: ProviderRequest): JsonObject {
  const value = readJson(body);
  return isJsonObject(value) ? value : {};
}

type Json = Readonly<Record<string, unknown>>;

/** Returns an instant as templates show it: `2026-11-20 10:42:07`. */
function instantText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the JSON of a template as lists show it: versions without their sources. */
function leanTemplate(template: IdentifiedTemplate): Json {
  return templateJson(
    template,
    template.versions.map((version) => leanVersion(template, version)),
  );
}

/** Returns the JSON of a template with the sources of its versions. */
async function fullTemplate(session: ProviderSession, template: IdentifiedTemplate): Promise<Json> {
  const versions: Json[] = [];
  for (const version of template.versions) versions.push(await versionJson(session, template, version));
  return templateJson(template, versions);
}

function templateJson({ id, name, generation, updatedAt }: IdentifiedTemplate, versions: readonly Json[]): Json {
  return { id, name, generation, updated_at: instantText(updatedAt), versions };
}

function leanVersion(
  template: IdentifiedTemplate,
  { id, name, subject, generatesText, editor, updatedAt }: TemplateVersion,
): Json {
  return {
    id,
    template_id: template.id,
    active: template.activeVersion === id ? 1 : 0,
    name,
    generate_plain_content: generatesText,
    subject,
    updated_at: instantText(updatedAt),
    editor,
    thumbnail_url: "",
  };
}

/** Returns the JSON of a version with its sources. */
export async function versionJson(
  session: ProviderSession,
  template: IdentifiedTemplate,
  version: TemplateVersion,
): Promise<Json> {
  const { html, text, testData } = await readSource(session, template.id, version.id);
  return {
    ...leanVersion(template, version),
    user_id: 0,
    html_content: html,
    plain_content: text,
    test_data: testData,
    warnings: [],
  };
}
