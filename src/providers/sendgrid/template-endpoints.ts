/** Endpoints of templates and of their versions. */
import { randomUUID } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse, noContent, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { plainError } from "./errors.ts";
import { emptySource, Templates, versionIn } from "./templates.ts";
import type { Template, TemplateVersion, VersionChange, VersionSource } from "./templates.ts";

const nameLengthMax = 100;
const subjectLengthMax = 255;
const pageSizeMax = 200;
/** UTF-8 bytes of a version's HTML and text together; the API allows 1 MiB for each. */
const sourceBytesMax = 900_000;

/** Call with the templates of the caller, and the ids in the path. */
interface TemplateCall extends Call {
  readonly templates: Templates;
  readonly id: string;
  readonly versionId: string;
  /** Members of the body; none for a body that is no JSON object. */
  readonly body: JsonObject;
}

function handler(respond: (call: TemplateCall) => Promise<ProviderResponse>): Handler {
  return async (call) => {
    const { id = "", version: versionId = "" } = call.request.params;
    const value = readJson(call.request.body);
    const body = isJsonObject(value) ? value : {};
    return respond({ ...call, templates: new Templates(call.session), id, versionId, body });
  };
}

/** Creates a template: `POST /v3/templates`. */
export const postTemplate: Handler = handler(async ({ templates, body, services }) => {
  const { generation = "legacy" } = body;
  const name = readName(body["name"]);
  if (generation !== "legacy" && generation !== "dynamic") {
    throw plainError(400, 'generation must be "legacy" or "dynamic"', "generation");
  }
  return jsonResponse(201, leanTemplate(await templates.create({ name, generation, updatedAt: services.now() })));
});

/** Lists templates: `GET /v3/templates`. Without `page_size` all of them, in the older form of the API. */
export const getTemplates: Handler = handler(async ({ request, templates }) => {
  const generations = (fieldOf(request.fields, "generations") ?? "legacy").split(",");
  if (!generations.every((one) => one === "legacy" || one === "dynamic")) {
    throw plainError(400, "generations must be legacy, dynamic or both", "generations");
  }
  const all = (await templates.all()).filter(({ generation }) => generations.includes(generation));
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
});

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
export const getTemplate: Handler = handler(async ({ templates, id }) => shown(templates, await templates.open(id)));

/** Renames a template: `PATCH /v3/templates/:id`. */
export const patchTemplate: Handler = handler(async ({ templates, id, body, services }) => {
  const change = { name: readName(body["name"]), updatedAt: services.now() };
  return shown(templates, await templates.change(id, (present) => ({ ...present, ...change })));
});

/** Copies a template with its versions: `POST /v3/templates/:id`. */
export const copyTemplate: Handler = handler(async ({ templates, id, body, services }) => {
  const original = await templates.open(id);
  const name = readName(body["name"], `Duplicate: ${original.name}`.slice(0, nameLengthMax));
  const copy = await templates.create({ ...original, name, updatedAt: services.now() });
  for (const version of original.versions) {
    const source = await templates.source(id, version.id);
    const isActive = version.id === original.activeVersion;
    await templates.putVersion(copy.id, { version: { ...version, id: randomUUID() }, source, isActive });
  }
  return shown(templates, await templates.open(copy.id), 201);
});

/** Removes a template: `DELETE /v3/templates/:id`. */
export const deleteTemplate: Handler = handler(async ({ templates, id }) => {
  await templates.remove(id);
  return noContent;
});

/** Creates a version: `POST /v3/templates/:id/versions`. The first version is active. */
export const postVersion: Handler = handler(async (call) => {
  const { templates, id } = call;
  await templates.open(id);
  const read = readVersion(call, newVersion(), emptySource);
  if (read.version.name === "") throw plainError(400, "name is required", "name");
  if (read.version.subject === "") throw plainError(400, "subject is required", "subject");
  return shownVersion({ ...call, versionId: read.version.id }, await templates.putVersion(id, read), 201);
});

/** Returns a version: `GET /v3/templates/:id/versions/:version`. */
export const getVersion: Handler = handler(async (call) => shownVersion(call, await call.templates.open(call.id)));

/** Changes a version: `PATCH /v3/templates/:id/versions/:version`. */
export const patchVersion: Handler = handler(async (call) => {
  const { templates, id, versionId } = call;
  const version = versionIn(await templates.open(id), versionId);
  const read = readVersion(call, version, await templates.source(id, versionId));
  return shownVersion(call, await templates.putVersion(id, read));
});

/** Activates a version: `POST /v3/templates/:id/versions/:version/activate`. */
export const activate: Handler = handler(async (call) => {
  const activeVersion = call.versionId;
  const template = await call.templates.change(call.id, (present) =>
    present.versions.some(({ id }) => id === activeVersion) ? { ...present, activeVersion } : present,
  );
  return shownVersion(call, template);
});

/** Removes a version: `DELETE /v3/templates/:id/versions/:version`. */
export const deleteVersion: Handler = handler(async ({ templates, id, versionId }) => {
  await templates.removeVersion(id, versionId);
  return noContent;
});

function readName(value: unknown, absent?: string): string {
  const name = value === undefined ? absent : value;
  if (typeof name === "string" && name !== "" && name.length <= nameLengthMax) return name;
  throw plainError(400, `name must be a string of 1 to ${nameLengthMax} characters`, "name");
}

function newVersion(): TemplateVersion {
  const empty = { name: "", subject: "", generatesText: true, editor: "code", updatedAt: 0, sourceBytes: 0 } as const;
  return { id: randomUUID(), ...empty };
}

const textFields = ["name", "subject", "html_content", "plain_content", "editor", "test_data"];

/** Reads a version; members that are absent keep their present value. */
function readVersion(
  { request, services }: TemplateCall,
  present: TemplateVersion,
  kept: VersionSource,
): VersionChange {
  const value = readJson(request.body);
  if (!isJsonObject(value)) throw plainError(400, "Bad Request");
  const wrong = textFields.find((field) => !["string", "undefined"].includes(typeof (value[field] ?? undefined)));
  if (wrong !== undefined) throw plainError(400, `${wrong} must be a string`, wrong);
  const text = (name: string, absent: string): string => {
    const member = value[name];
    return typeof member === "string" ? member : absent;
  };
  const source: VersionSource = {
    html: text("html_content", kept.html),
    text: text("plain_content", kept.text),
    testData: text("test_data", kept.testData),
  };
  const version: TemplateVersion = {
    id: present.id,
    name: text("name", present.name),
    subject: text("subject", present.subject),
    generatesText: (value["generate_plain_content"] ?? present.generatesText) === true,
    editor: text("editor", present.editor) === "design" ? "design" : "code",
    updatedAt: services.now(),
    sourceBytes: Buffer.byteLength(JSON.stringify(source)),
  };
  checkVersion(value, version);
  const { active } = value;
  return { version, source, isActive: active === undefined ? null : active === 1 };
}

function checkVersion({ active = 0 }: JsonObject, { name, subject, sourceBytes }: TemplateVersion): void {
  if (name.length > nameLengthMax) throw plainError(400, `name must have at most ${nameLengthMax} characters`, "name");
  if (subject.length > subjectLengthMax) {
    throw plainError(400, `subject must have at most ${subjectLengthMax} characters`, "subject");
  }
  if (active !== 0 && active !== 1) throw plainError(400, "active must be 0 or 1", "active");
  if (sourceBytes > sourceBytesMax) {
    throw plainError(400, `html_content and plain_content must have at most ${sourceBytesMax} bytes`, "html_content");
  }
}

/** Returns an instant as templates show it: `2026-11-20 10:42:07`. */
function instantText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the JSON of a template as lists show it: versions without their sources. */
function leanTemplate(template: Template): JsonObject {
  const { id, name, generation, updatedAt, versions } = template;
  const lean = versions.map((version) => leanVersion(template, version));
  return { id, name, generation, updated_at: instantText(updatedAt), versions: lean };
}

/** Responds with a template and the sources of its versions. */
async function shown(templates: Templates, template: Template, status = 200): Promise<ProviderResponse> {
  const versions: JsonObject[] = [];
  for (const { id } of template.versions) versions.push(await versionJson(templates, template, id));
  return jsonResponse(status, { ...leanTemplate(template), versions });
}

async function shownVersion(
  { templates, versionId }: TemplateCall,
  template: Template,
  status = 200,
): Promise<ProviderResponse> {
  return jsonResponse(status, await versionJson(templates, template, versionId));
}

function leanVersion(
  template: Template,
  { id, name, subject, generatesText, editor, updatedAt }: TemplateVersion,
): JsonObject {
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
async function versionJson(templates: Templates, template: Template, id: string): Promise<JsonObject> {
  const { html, text, testData } = await templates.source(template.id, id);
  const sources = { html_content: html, plain_content: text, test_data: testData };
  return { ...leanVersion(template, versionIn(template, id)), user_id: 0, ...sources, warnings: [] };
}
