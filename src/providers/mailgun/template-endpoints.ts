/** Endpoints of templates and of their versions. */
import { randomUUID } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { jsonResponse, type ProviderRequest } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";
import { jsonObjectOf, readBody, requireDomain, textOfValue } from "./request.ts";
import {
  contentBytesMax,
  isTemplateName,
  listPage,
  openTemplates,
  templateCountMax,
  templateWire,
  versionCountMax,
  versionWire,
} from "./templates.ts";
import type { Template, TemplateStore, TemplateVersion } from "./templates.ts";

/** Longest description, comment or header field, in UTF-16 units. */
const textLengthMax = 1000;

/** Opened templates of the request's domain, and the fields of its query or body. */
interface TemplateCall extends TemplateStore {
  readonly fields: FormFields;
  /** Name and tag in the path, in lower case. */
  readonly name: string;
  readonly tag: string;
  readonly request: ProviderRequest;
  readonly now: number;
}

function handler(respond: (call: TemplateCall) => Promise<JsonObject>): Handler {
  return async ({ request, session, services }) => {
    const { domain = "", name = "", tag = "" } = request.params;
    const store = openTemplates(session, requireDomain(domain));
    const { fields } = request.method === "GET" ? request : await readBody(request);
    const names = { name: name.toLowerCase(), tag: tag.toLowerCase() };
    return jsonResponse(200, await respond({ ...store, fields, ...names, request, now: services.now() }));
  };
}

/** Replaces a template; throws Mailgun's 404 without one. */
async function change({ templates, name }: TemplateCall, changed: (template: Template) => Template): Promise<Template> {
  return required(await templates.change(name, changed));
}

function required(template: Template | undefined): Template {
  if (template === undefined) throw mailgunError(texts.templateNotFound, "not_found");
  return template;
}

async function remove({ templates, contents }: TemplateStore, { name, versions }: Template): Promise<void> {
  await templates.remove(name);
  for (const { id } of versions) await contents.remove(id);
}

/** Creates a template, with a version when the request has content. */
export const createTemplate: Handler = handler(async ({ templates, contents, fields, now }) => {
  const name = readName(fields, "name");
  const content = readContent(fields);
  const version = content === undefined ? undefined : newVersion(fields, { tag: readTag(fields, "initial"), now });
  if ((await templates.all()).length >= templateCountMax) throw mailgunError(texts.tooManyTemplates);
  const texted = { description: readText(fields, "description") ?? "", createdBy: readText(fields, "createdBy") ?? "" };
  const versions = version === undefined ? [] : [{ ...version, active: true }];
  const template: Template = { name, ...texted, createdAt: now, id: randomUUID(), versions };
  if (version !== undefined) await contents.put(version.id, content ?? "");
  const isNew = await templates.create(name, template).catch(async (error: unknown) => {
    if (version !== undefined) await contents.remove(version.id);
    throw error;
  });
  if (!isNew && version !== undefined) await contents.remove(version.id);
  if (!isNew) throw mailgunError(texts.templateExists(name));
  const shown = versions.map((one) => ({ version: versionWire(one, content) }));
  return { template: { ...templateWire(template), ...shown[0] }, message: "template has been stored" };
});

/** Lists the templates of a domain. */
export const listTemplates: Handler = handler(async ({ templates, request }) => {
  const { items, paging } = listPage(await templates.all(), { request, nameOf: ({ name }) => name });
  return { items: items.map(templateWire), paging };
});

/** Returns a template, with `active=yes` also its active version. */
export const getTemplate: Handler = handler(async (call) => {
  const template = await found(call);
  const active = fieldOf(call.fields, "active") === "yes" ? template.versions.find((one) => one.active) : undefined;
  if (active === undefined) return { template: templateWire(template) };
  const version = versionWire(active, await contentOf(call, active.id));
  return { template: { ...templateWire(template), version } };
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
  const { contents, fields, now } = call;
  const content = readContent(fields);
  if (content === undefined) throw mailgunError(texts.parameterMissing("template"));
  const version = newVersion(fields, { tag: readTag(fields), now });
  await contents.put(version.id, content);
  try {
    const template = await change(call, (one) => withVersion(one, version));
    const stored = template.versions.find(({ id }) => id === version.id) ?? version;
    const shown = { ...templateWire(template), version: versionWire(stored, content) };
    return { template: shown, message: "new version of the template has been stored" };
  } catch (error) {
    await contents.remove(version.id);
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
  const shown = versionWire(version, await contentOf(call, version.id));
  return { template: { ...templateWire(template), version: shown } };
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
  return required(isTemplateName(name) ? await templates.find(name) : undefined);
}

async function contentOf({ contents }: TemplateStore, id: string): Promise<string> {
  return (await contents.find(id)) ?? "";
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
