/** Endpoints of templates and of their versions. */
import { randomUUID } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";
import { jsonObjectOf, textOfValue } from "./options.ts";
import { readBody, requireDomain } from "./request.ts";
import { listPage, templateWire, versionWire } from "./template-response.ts";
import {
  contentBytesMax,
  isTemplateName,
  openTemplates,
  templateCountMax,
  versionCountMax,
  type Template,
  type TemplateStore,
  type TemplateVersion,
} from "./templates.ts";

/** Longest description, comment or header field, in UTF-16 units. */
const textLengthMax = 1000;

/** Opened templates of the request's domain, and the fields of its query or body. */
interface TemplateCall {
  readonly store: TemplateStore;
  readonly fields: FormFields;
  /** Name and tag in the path, in lower case. */
  readonly name: string;
  readonly tag: string;
  readonly request: ProviderRequest;
  readonly now: number;
}

type Handler = (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;

function handler(respond: (call: TemplateCall) => Promise<Readonly<Record<string, unknown>>>): Handler {
  return async (request, services) => {
    const isRead = request.method === "GET";
    const session = await services.authenticate(request.key, isRead ? "read" : "send");
    const { domain = "", name = "", tag = "" } = request.params;
    const store = openTemplates(session, requireDomain(domain));
    const { fields } = isRead ? request : await readBody(request);
    const names = { name: name.toLowerCase(), tag: tag.toLowerCase() };
    return jsonResponse(200, await respond({ store, fields, ...names, request, now: services.now() }));
  };
}

/** Creates a template, with a version when the request has content. */
export const createTemplate: Handler = handler(async ({ store, fields, now }) => {
  const name = readName(fields, "name");
  const content = readContent(fields);
  const version = content === undefined ? undefined : newVersion(fields, { tag: readTag(fields, "initial"), now });
  if ((await store.list()).length >= templateCountMax) throw mailgunError(texts.tooManyTemplates);
  const texted = { description: readText(fields, "description") ?? "", createdBy: readText(fields, "createdBy") ?? "" };
  const versions = version === undefined ? [] : [{ ...version, active: true }];
  const template: Template = { name, ...texted, createdAt: now, id: randomUUID(), versions };
  if (version !== undefined) await store.putContent(version.id, content ?? "");
  try {
    await store.create(template);
  } catch (error) {
    if (version !== undefined) await store.removeContent(version.id);
    throw error;
  }
  const shown = versions.map((one) => ({ version: versionWire(one, content) }));
  return { template: { ...templateWire(template), ...shown[0] }, message: "template has been stored" };
});

/** Lists the templates of a domain. */
export const listTemplates: Handler = handler(async ({ store, request }) => {
  const { items, paging } = listPage(await store.list(), { request, nameOf: ({ name }) => name });
  return { items: items.map(templateWire), paging };
});

/** Returns a template, with `active=yes` also its active version. */
export const getTemplate: Handler = handler(async (call) => {
  const template = await found(call);
  const active = fieldOf(call.fields, "active") === "yes" ? template.versions.find((one) => one.active) : undefined;
  if (active === undefined) return { template: templateWire(template) };
  const version = versionWire(active, await call.store.contentOf(active.id));
  return { template: { ...templateWire(template), version } };
});

/** Changes the description of a template. */
export const updateTemplate: Handler = handler(async ({ store, fields, name }) => {
  const description = readText(fields, "description");
  if (description === undefined) throw mailgunError(texts.nothingToUpdate);
  await store.change(name, (template) => ({ ...template, description }));
  return { message: "template has been updated", template: { name } };
});

/** Deletes a template with its versions. */
export const deleteTemplate: Handler = handler(async (call) => {
  await call.store.remove(await found(call));
  return { message: "template has been deleted", template: { name: call.name } };
});

/** Deletes all templates of a domain. */
export const deleteTemplates: Handler = handler(async ({ store }) => {
  for (const template of await store.list()) await store.remove(template);
  return { message: "templates have been deleted" };
});

/** Creates a version; the first is active, later ones with `active=yes`. */
export const createVersion: Handler = handler(async ({ store, fields, name, now }) => {
  const content = readContent(fields);
  if (content === undefined) throw mailgunError(texts.parameterMissing("template"));
  const version = newVersion(fields, { tag: readTag(fields), now });
  await store.putContent(version.id, content);
  try {
    const template = await store.change(name, (one) => withVersion(one, version));
    const stored = template.versions.find(({ id }) => id === version.id) ?? version;
    const shown = { ...templateWire(template), version: versionWire(stored, content) };
    return { template: shown, message: "new version of the template has been stored" };
  } catch (error) {
    await store.removeContent(version.id);
    throw error;
  }
});

/** Lists the versions of a template without their content. */
export const listVersions: Handler = handler(async (call) => {
  const template = await found(call);
  const { items, paging } = listPage(template.versions, { request: call.request, nameOf: ({ tag }) => tag });
  return { template: { ...templateWire(template), versions: items.map((one) => versionWire(one)) }, paging };
});

/** Returns a version with its content. */
export const getVersion: Handler = handler(async (call) => {
  const template = await found(call);
  const version = versionIn(template, call.tag);
  const shown = versionWire(version, await call.store.contentOf(version.id));
  return { template: { ...templateWire(template), version: shown } };
});

/** Changes the given members of a version. */
export const updateVersion: Handler = handler(async ({ store, fields, name, tag }) => {
  const content = readContent(fields);
  const comment = readText(fields, "comment");
  const headers = fieldOf(fields, "headers") === undefined ? undefined : readHeaders(fields);
  const isActive = fieldOf(fields, "active") === "yes";
  const members = [content, comment, headers].filter((one) => one !== undefined);
  if (members.length === 0 && !isActive) throw mailgunError(texts.nothingToUpdate);
  const template = await store.change(name, (one) => {
    versionIn(one, tag);
    const versions = one.versions.map((version) => {
      const active = isActive ? version.tag === tag : version.active;
      if (version.tag !== tag) return { ...version, active };
      return { ...version, active, comment: comment ?? version.comment, headers: headers ?? version.headers };
    });
    return { ...one, versions };
  });
  if (content !== undefined) await store.putContent(versionIn(template, tag).id, content);
  return { message: "version has been updated", template: { name, version: { tag } } };
});

/** Deletes a version. */
export const deleteVersion: Handler = handler(async (call) => {
  const { store, name, tag } = call;
  const { id } = versionIn(await found(call), tag);
  await store.change(name, (one) => ({ ...one, versions: one.versions.filter((version) => version.tag !== tag) }));
  await store.removeContent(id);
  return { message: "version has been deleted", template: { name, version: { tag } } };
});

async function found({ store, name }: TemplateCall): Promise<Template> {
  const template = isTemplateName(name) ? await store.find(name) : undefined;
  if (template === undefined) throw mailgunError(texts.templateNotFound, "not_found");
  return template;
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

function newVersion(fields: FormFields, { tag, now }: { readonly tag: string; readonly now: number }): TemplateVersion {
  const engine = fieldOf(fields, "engine") ?? "handlebars";
  if (engine !== "handlebars") throw mailgunError(texts.unsupportedEngine(engine));
  const headers = readHeaders(fields);
  const active = fieldOf(fields, "active") === "yes";
  return { tag, comment: readText(fields, "comment") ?? "", createdAt: now, active, id: randomUUID(), headers };
}

function readName(fields: FormFields, parameter: "name" | "tag"): string {
  const name = fieldOf(fields, parameter);
  if (name === undefined) throw mailgunError(texts.parameterMissing(parameter));
  if (!isTemplateName(name)) throw mailgunError(texts.parameterInvalid(parameter));
  return name.toLowerCase();
}

function readTag(fields: FormFields, missing?: string): string {
  return missing !== undefined && fieldOf(fields, "tag") === undefined ? missing : readName(fields, "tag");
}

function readContent(fields: FormFields): string | undefined {
  const content = fieldOf(fields, "template");
  if (content !== undefined && Buffer.byteLength(content) > contentBytesMax) {
    throw mailgunError(texts.parameterInvalid("template"));
  }
  return content;
}

function readText(fields: FormFields, name: string): string | undefined {
  const text = fieldOf(fields, name);
  if (text !== undefined && text.length > textLengthMax) throw mailgunError(texts.parameterInvalid(name));
  return text;
}

function readHeaders(fields: FormFields): Readonly<Record<string, string>> {
  const headers = Object.entries(jsonObjectOf(fields, "headers")).map(([name, value]) => [name, textOfValue(value)]);
  const isValid = headers.every(
    ([name = "", value = ""]) => /^(?:from|subject|reply-to)$/i.test(name) && value.length <= textLengthMax,
  );
  if (!isValid) throw mailgunError(texts.parameterInvalid("headers"));
  return Object.fromEntries(headers) as Readonly<Record<string, string>>;
}
