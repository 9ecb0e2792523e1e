/** Endpoints of templates and of their versions. */
import { randomUUID } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { type Call, type Handler, handlersWith } from "../kit/endpoints.ts";
import type { ProviderRequest } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";
import { jsonObjectOf, readBody, requireDomain, textsOf } from "./request.ts";
import { baseOf } from "./response.ts";
import { isTemplateName, openTemplates } from "./templates.ts";
import type { Template, TemplateStore, TemplateVersion } from "./templates.ts";

/** Most templates of a domain. */
const templateCountMax = 100;
/** Most versions of a template. */
const versionCountMax = 40;
/** Longest content of a version, in bytes. */
const contentBytesMax = 100 * 1024;
const pageSizeMax = 100;
/** Longest description, comment or header field, in UTF-16 units. */
const textLengthMax = 1000;

/** Opened templates of the request's domain, and the fields of its query or body. */
type TemplateCall = Awaited<ReturnType<typeof callOf>>;

async function callOf({ request, session, services }: Call) {
  const { domain = "", name = "", tag = "" } = request.params;
  const store: TemplateStore = openTemplates(session, requireDomain(domain));
  const { fields } = request.method === "GET" ? request : await readBody(request);
  // Names and instants as templates have them.
  const now = new Date(services.now()).toUTCString().replace("GMT", "UTC");
  return { ...store, fields, name: name.toLowerCase(), tag: tag.toLowerCase(), request, now };
}

const handler = handlersWith(callOf);

/** Replaces a template; throws Mailgun's 404 without one. */
async function change({ templates, name }: TemplateCall, changed: (template: Template) => Template): Promise<Template> {
  return present(await templates.change(name, changed));
}

function present(template: Template | undefined): Template {
  if (template === undefined) throw mailgunError(texts.templateNotFound, "not_found");
  return template;
}

async function remove({ templates, contents }: TemplateStore, { name, versions }: Template): Promise<void> {
  await templates.remove(name);
  for (const { id } of versions) await contents.remove(id);
}

/** Stores the content of a new version, then what refers to it; if that fails, removes the content again. */
async function storeContent<Result>(
  { contents }: TemplateStore,
  { id, content }: { readonly id: string; readonly content: string },
  store: () => Promise<Result>,
): Promise<Result> {
  await contents.put(id, content);
  return store().catch(async (error: unknown) => {
    await contents.remove(id);
    throw error;
  });
}

/** Creates a template, with a version when the request has content. */
export const createTemplate: Handler = handler(async (call) => {
  const { templates, fields, now: createdAt } = call;
  const name = required("name", readName(fields, "name"));
  const content = readContent(fields);
  const versions =
    content === undefined ? [] : [{ ...newVersion(call, readName(fields, "tag") ?? "initial"), active: true }];
  if ((await templates.all()).length >= templateCountMax) throw mailgunError(texts.tooManyTemplates);
  const [description, createdBy] = [readText(fields, "description") ?? "", readText(fields, "createdBy") ?? ""];
  const template: Template = { name, description, createdAt, createdBy, id: randomUUID(), versions };
  const create = async (): Promise<void> => {
    if (!(await templates.create(name, template))) throw mailgunError(texts.templateExists(name));
  };
  const [version] = versions;
  if (version === undefined || content === undefined) await create();
  else await storeContent(call, { id: version.id, content }, create);
  const shown = version === undefined ? {} : { version: { ...version, template: content } };
  return { template: { ...withoutVersions(template), ...shown }, message: "template has been stored" };
});

/** Lists the templates of a domain. */
export const listTemplates: Handler = handler(async ({ templates, request }) => {
  const { items, paging } = listPage(await templates.all(), { request, nameOf: ({ name }) => name });
  return { items: items.map(withoutVersions), paging };
});

/** Returns a template, with `active=yes` also its active version. */
export const getTemplate: Handler = handler(async (call) => {
  const template = await found(call);
  const active = fieldOf(call.fields, "active") === "yes" ? template.versions.find((one) => one.active) : undefined;
  return { template: active === undefined ? withoutVersions(template) : await withVersionOf(call, template, active) };
});

/** Changes the description of a template. */
export const updateTemplate: Handler = handler(async (call) => {
  const description = readText(call.fields, "description");
  if (description === undefined) throw mailgunError(texts.nothingToUpdate);
  await change(call, (template) => ({ ...template, description }));
  return { message: "template has been updated", template: { name: call.name } };
});

/** Deletes a template with its versions. */
export const deleteTemplate: Handler = handler(async (call) => {
  await remove(call, await found(call));
  return { message: "template has been deleted", template: { name: call.name } };
});

/** Deletes all templates of a domain. */
export const deleteTemplates: Handler = handler(async (call) => {
  for (const template of await call.templates.all()) await remove(call, template);
  return { message: "templates have been deleted" };
});

/** Creates a version; the first is active, later ones with `active=yes`. */
export const createVersion: Handler = handler(async (call) => {
  const content = required("template", readContent(call.fields));
  const version = newVersion(call, required("tag", readName(call.fields, "tag")));
  const template = await storeContent(call, { id: version.id, content }, async () =>
    change(call, (one) => withVersion(one, version)),
  );
  const shown = await withVersionOf(call, template, versionIn(template, version.tag));
  return { template: shown, message: "new version of the template has been stored" };
});

/** Lists the versions of a template without their content. */
export const listVersions: Handler = handler(async (call) => {
  const template = await found(call);
  const { items, paging } = listPage(template.versions, { request: call.request, nameOf: ({ tag }) => tag });
  return { template: { ...template, versions: items }, paging };
});

/** Returns a version with its content. */
export const getVersion: Handler = handler(async (call) => {
  const template = await found(call);
  return { template: await withVersionOf(call, template, versionIn(template, call.tag)) };
});

/** Changes the given members of a version. */
export const updateVersion: Handler = handler(async (call) => {
  const { contents, fields, name, tag } = call;
  const content = readContent(fields);
  const comment = readText(fields, "comment");
  const headers = fieldOf(fields, "headers") === undefined ? undefined : readHeaders(fields);
  const isActive = fieldOf(fields, "active") === "yes";
  const members = [content, comment, headers].filter((one) => one !== undefined);
  if (members.length === 0 && !isActive) throw mailgunError(texts.nothingToUpdate);
  const template = await change(call, (one) => {
    versionIn(one, tag);
    const versions = one.versions.map((version) => {
      const active = isActive ? version.tag === tag : version.active;
      if (version.tag !== tag) return { ...version, active };
      return { ...version, active, comment: comment ?? version.comment, headers: headers ?? version.headers };
    });
    return { ...one, versions };
  });
  if (content !== undefined) await contents.put(versionIn(template, tag).id, content);
  return { message: "version has been updated", template: { name, version: { tag } } };
});

/** Deletes a version. */
export const deleteVersion: Handler = handler(async (call) => {
  const { contents, name, tag } = call;
  const { id } = versionIn(await found(call), tag);
  await change(call, (one) => ({ ...one, versions: one.versions.filter((version) => version.tag !== tag) }));
  await contents.remove(id);
  return { message: "version has been deleted", template: { name, version: { tag } } };
});

async function found({ templates, name }: TemplateCall): Promise<Template> {
  return present(isTemplateName(name) ? await templates.find(name) : undefined);
}

function withoutVersions({ versions: _versions, ...template }: Template): JsonObject {
  return template;
}

async function withVersionOf(
  { contents }: TemplateStore,
  template: Template,
  version: TemplateVersion,
): Promise<JsonObject> {
  const content = (await contents.find(version.id)) ?? "";
  return { ...withoutVersions(template), version: { ...version, template: content } };
}

function versionIn({ versions }: Template, tag: string): TemplateVersion {
  const version = versions.find((one) => one.tag === tag);
  if (version === undefined) throw mailgunError(texts.versionNotFound, "not_found");
  return version;
}

function withVersion(template: Template, version: TemplateVersion): Template {
  const { versions } = template;
  if (versions.some(({ tag }) => tag === version.tag)) throw mailgunError(texts.versionExists(version.tag), "conflict");
  if (versions.length >= versionCountMax) throw mailgunError(texts.tooManyVersions);
  const active = version.active || versions.length === 0;
  const others = versions.map((one) => ({ ...one, active: one.active && !active }));
  return { ...template, versions: [...others, { ...version, active }] };
}

function newVersion({ fields, now: createdAt }: TemplateCall, tag: string): TemplateVersion {
  const engine = fieldOf(fields, "engine") ?? "handlebars";
  if (engine !== "handlebars") throw mailgunError(texts.unsupportedEngine(engine));
  const headers = readHeaders(fields);
  const active = fieldOf(fields, "active") === "yes";
  return { tag, engine, createdAt, comment: readText(fields, "comment") ?? "", active, id: randomUUID(), headers };
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw mailgunError(texts.parameterMissing(name));
  return value;
}

function readName(fields: FormFields, parameter: "name" | "tag"): string | undefined {
  return readText(fields, parameter, isTemplateName)?.toLowerCase();
}

function readContent(fields: FormFields): string | undefined {
  return readText(fields, "template", (content) => Buffer.byteLength(content) <= contentBytesMax);
}

/** Returns a text of at most 1000 UTF-16 units, or one that is valid otherwise; undefined without one. */
function readText(
  fields: FormFields,
  name: string,
  isValid = (text: string): boolean => text.length <= textLengthMax,
): string | undefined {
  const text = fieldOf(fields, name);
  if (text !== undefined && !isValid(text)) throw mailgunError(texts.parameterInvalid(name));
  return text;
}

function readHeaders(fields: FormFields): Readonly<Record<string, string>> {
  const headers = textsOf(jsonObjectOf(fields, "headers"));
  const isValid = headers.every(
    ([name, value]) => /^(?:from|subject|reply-to)$/i.test(name) && value.length <= textLengthMax,
  );
  if (!isValid) throw mailgunError(texts.parameterInvalid("headers"));
  return Object.fromEntries(headers);
}

/** Returns the page that a request asks for with `page`, `limit` and the pivot `p`, the name of an item. */
function listPage<Item>(
  all: readonly Item[],
  { request, nameOf }: { readonly request: ProviderRequest; readonly nameOf: (item: Item) => string },
) {
  const { fields, path } = request;
  const limitText = fieldOf(fields, "limit");
  if (limitText !== undefined && !/^[1-9]\d{0,5}$/.test(limitText)) throw mailgunError(texts.parameterInvalid("limit"));
  const limit = Math.min(Number(limitText ?? pageSizeMax), pageSizeMax);
  const pivot = all.findIndex((item) => nameOf(item) === fieldOf(fields, "p"));
  const before = (pivot === -1 ? 0 : pivot) - limit;
  const starts = new Map([
    // Without a pivot, as in the URL of an empty page, there is nothing after it.
    ["next", pivot === -1 ? all.length : pivot + 1],
    ["prev", before],
    ["previous", before],
    ["last", Math.max(0, all.length - limit)],
  ]);
  const start = starts.get(fieldOf(fields, "page") ?? "") ?? 0;
  const items = all.slice(Math.max(0, start), Math.max(0, start + limit));
  const base = `${baseOf(request)}${path}?`;
  const urlOf = (page: string, item: Item | undefined): string =>
    `${base}page=${page}&p=${encodeURIComponent(item === undefined ? "" : nameOf(item))}&limit=${limit}`;
  return {
    items,
    paging: {
      first: `${base}limit=${limit}`,
      last: `${base}page=last&limit=${limit}`,
      next: urlOf("next", items.at(-1)),
      previous: urlOf("prev", items[0]),
    },
  };
}
