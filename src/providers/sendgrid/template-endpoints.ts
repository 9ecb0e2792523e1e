import { randomUUID } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import {
  jsonResponse,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { plainError } from "./errors.ts";
import { noContent } from "./response.ts";
import { fullTemplate, leanTemplate } from "./template-json.ts";
import {
  changeTemplate,
  createTemplate,
  findTemplate,
  listTemplates,
  putVersion,
  readSource,
  removeTemplate,
  type IdentifiedTemplate,
} from "./templates.ts";

type Handler = (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;

const nameLengthMax = 100;
const pageSizeMax = 200;
const notFound = plainError(404, "resource not found");

/** Creates a template: `POST /v3/templates`. */
export const postTemplate: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { name, generation = "legacy" } = bodyOf(request);
  if (!isName(name)) return nameError();
  if (generation !== "legacy" && generation !== "dynamic") {
    return plainError(400, 'generation must be "legacy" or "dynamic"', "generation");
  }
  const template = await createTemplate(session, { name, generation, now: services.now() });
  return jsonResponse(201, leanTemplate(template));
};

/** Lists templates: `GET /v3/templates`. Without `page_size` all of them, in the older form of the API. */
export const getTemplates: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  const generations = (fieldOf(request.fields, "generations") ?? "legacy").split(",");
  if (!generations.every((one) => one === "legacy" || one === "dynamic")) {
    return plainError(400, "generations must be legacy, dynamic or both", "generations");
  }
  const all = (await allTemplates(session)).filter(({ generation }) => generations.includes(generation));
  const size = fieldOf(request.fields, "page_size");
  if (size === undefined) return jsonResponse(200, { templates: all.map(leanTemplate) });
  const pageSize = /^\d{1,3}$/.test(size) ? Number(size) : 0;
  if (pageSize < 1 || pageSize > pageSizeMax) return plainError(400, "page_size must be from 1 to 200", "page_size");
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

async function allTemplates(session: ProviderSession): Promise<readonly IdentifiedTemplate[]> {
  const all: IdentifiedTemplate[] = [];
  for (let offset = 0; ; offset += 1000) {
    const page = await listTemplates(session, offset);
    all.push(...page);
    if (page.length < 1000) return all;
  }
}

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
export const getTemplate: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  const template = await findTemplate(session, idOf(request));
  return template === undefined ? notFound : jsonResponse(200, await fullTemplate(session, template));
};

/** Renames a template: `PATCH /v3/templates/:id`. */
export const patchTemplate: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { name } = bodyOf(request);
  if (!isName(name)) return nameError();
  const updatedAt = services.now();
  const template = await changeTemplate(session, idOf(request), (present) => ({ ...present, name, updatedAt }));
  return template === undefined ? notFound : jsonResponse(200, await fullTemplate(session, template));
};

/** Copies a template with its versions: `POST /v3/templates/:id`. */
export const copyTemplate: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const original = await findTemplate(session, idOf(request));
  if (original === undefined) return notFound;
  const { name = `Duplicate: ${original.name}`.slice(0, nameLengthMax) } = bodyOf(request);
  if (!isName(name)) return nameError();
  const copy = await createTemplate(session, { ...original, name, now: services.now() });
  for (const version of original.versions) {
    const source = await readSource(session, original.id, version.id);
    const isActive = version.id === original.activeVersion;
    await putVersion(session, copy.id, { version: { ...version, id: randomUUID() }, source, isActive });
  }
  return jsonResponse(201, await fullTemplate(session, (await findTemplate(session, copy.id)) ?? copy));
};

/** Removes a template: `DELETE /v3/templates/:id`. */
export const deleteTemplate: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  return (await removeTemplate(session, idOf(request))) ? noContent : notFound;
};

function nameError(): ProviderResponse {
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
