/** Endpoints of templates and of their versions. */
import { randomUUID } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import { isAbsent, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse, noContent, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { plainError } from "./errors.ts";
import { emptySource, Templates, versionIn, withActive } from "./templates.ts";
import type { Template, TemplateVersion, VersionSource } from "./templates.ts";

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
  /** Undefined for a body that is no JSON object. */
  readonly body: JsonObject | undefined;
}

function handler(respond: (call: TemplateCall) => Promise<ProviderResponse>): Handler {
  return async (call) => {
    const { id = "", version: versionId = "" } = call.request.params;
    const body = readJsonObject(call.request.body);
    return respond({ ...call, templates: new Templates(call.session), id, versionId, body });
  };
}

/** Creates a template: `POST /v3/templates`. */
export const postTemplate: Handler = handler(async ({ templates, body = {}, services }) => {
  const { generation = "legacy" } = body;
  const name = readName(body["name"]);
  if (generation !== "legacy" && generation !== "dynamic") {
    throw plainError(400, 'generation must be "legacy" or "dynamic"', "generation");
  }
  const template = await templates.create({ name, generation, updated_at: instantText(services) });
  return jsonResponse(201, shownTemplate(template));
});

/** Lists templates: `GET /v3/templates`. Without `page_size` all of them, in the older form of the API. */
export const getTemplates: Handler = handler(async ({ request, templates }) => {
  const generations = (fieldOf(request.fields, "generations") ?? "legacy").split(",");
  if (!generations.every((one) => one === "legacy" || one === "dynamic")) {
    throw plainError(400, "generations must be legacy, dynamic or both", "generations");
  }
  const all = (await templates.all()).filter(({ generation }) => generations.includes(generation));
  const size = fieldOf(request.fields, "page_size");
  if (size === undefined) return jsonResponse(200, { templates: all.map(shownTemplate) });
  const pageSize = /^\d{1,3}$/.test(size) ? Number(size) : 0;
  if (pageSize < 1 || pageSize > pageSizeMax) throw plainError(400, "page_size must be from 1 to 200", "page_size");
  const start = Math.min(offsetOf(fieldOf(request.fields, "page_token") ?? ""), all.length);
  const page = all.slice(start, start + pageSize);
  const [base = ""] = request.url.split("?", 1);
  const urlOf = (offset: number): string => {
    const token = Buffer.from(String(offset)).toString("base64url");
    return `${base}?generations=${generations.join(",")}&page_size=${pageSize}&page_token=${token}`;
  };
  const _metadata = {
    ...(start > 0 && { prev: urlOf(Math.max(0, start - pageSize)) }),
    self: urlOf(start),
    ...(start + pageSize < all.length && { next: urlOf(start + pageSize) }),
    count: all.length,
  };
  return jsonResponse(200, { result: page.map(shownTemplate), _metadata });
});

/** Returns the offset in a page token, which is decimal in base64url; 0 for anything else. */
function offsetOf(token: string): number {
  const text = Buffer.from(token, "base64url").toString("latin1");
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** Returns a template with its versions: `GET /v3/templates/:id`. */
export const getTemplate: Handler = handler(async (call) => whole(call, await call.templates.open(call.id)));

/** Renames a template: `PATCH /v3/templates/:id`. */
export const patchTemplate: Handler = handler(async (call) => {
  const change = { name: readName(call.body?.["name"]), updated_at: instantText(call.services) };
  return whole(call, await call.templates.change(call.id, (present) => ({ ...present, ...change })));
});

/** Copies a template with its versions: `POST /v3/templates/:id`. */
export const copyTemplate: Handler = handler(async (call) => {
  const { templates, services } = call;
  const { generation, ...original } = await templates.open(call.id);
  const name = readName(call.body?.["name"], `Duplicate: ${original.name}`.slice(0, nameLengthMax));
  const { id } = await templates.create({ name, generation, updated_at: instantText(services) });
  for (const version of original.versions) {
    const source = await templates.source(version.id);
    await templates.putVersion({ ...version, id: randomUUID(), template_id: id }, source, version.active);
  }
  return whole(call, await templates.open(id), 201);
});

/** Removes a template: `DELETE /v3/templates/:id`. */
export const deleteTemplate: Handler = handler(async ({ templates, id }) => {
  await templates.remove(id);
  return noContent;
});

/** Creates a version: `POST /v3/templates/:id/versions`. The first version is active. */
export const postVersion: Handler = handler(async (call) => {
  await call.templates.open(call.id);
  const change = readVersion(call, newVersion(call.id), emptySource);
  const [{ id, name, subject }] = change;
  if (name === "") throw plainError(400, "name is required", "name");
  if (subject === "") throw plainError(400, "subject is required", "subject");
  return wholeVersion({ ...call, versionId: id }, await call.templates.putVersion(...change), 201);
});

/** Returns a version: `GET /v3/templates/:id/versions/:version`. */
export const getVersion: Handler = handler(async (call) => wholeVersion(call, await call.templates.open(call.id)));

/** Changes a version: `PATCH /v3/templates/:id/versions/:version`. */
export const patchVersion: Handler = handler(async (call) => {
  const { templates, id, versionId } = call;
  const version = versionIn(await templates.open(id), versionId);
  const change = readVersion(call, version, await templates.source(versionId));
  return wholeVersion(call, await templates.putVersion(...change));
});

/** Activates a version: `POST /v3/templates/:id/versions/:version/activate`. */
export const activate: Handler = handler(async (call) =>
  wholeVersion(call, await call.templates.change(call.id, (present) => withActive(present, call.versionId))),
);

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

function newVersion(template_id: string): TemplateVersion {
  return {
    id: randomUUID(),
    template_id,
    active: 0,
    name: "",
    generate_plain_content: true,
    subject: "",
    updated_at: "",
    editor: "code",
    thumbnail_url: "",
    sourceBytes: 0,
  };
}

const textFields = ["name", "subject", "html_content", "plain_content", "editor", "test_data"] as const;

/** Reads a version; members that are absent keep their present value. */
function readVersion(
  { body, services }: TemplateCall,
  present: TemplateVersion,
  kept: VersionSource,
): Parameters<Templates["putVersion"]> {
  if (body === undefined) throw plainError(400, "Bad Request");
  const given = textFields.flatMap((field) => (isAbsent(body[field]) ? [] : [[field, body[field]] as const]));
  const [wrong] = given.find(([, text]) => typeof text !== "string") ?? [];
  if (wrong !== undefined) throw plainError(400, `${wrong} must be a string`, wrong);
  const texts = Object.fromEntries(given) as Partial<Record<(typeof textFields)[number], string>>;
  const { name, subject, editor, ...sources } = { ...present, ...kept, ...texts };
  const { html_content, plain_content, test_data } = sources;
  const source = { html_content, plain_content, test_data };
  const sourceBytes = Buffer.byteLength(JSON.stringify(source));
  if (name.length > nameLengthMax) throw plainError(400, `name must have at most ${nameLengthMax} characters`, "name");
  if (subject.length > subjectLengthMax) {
    throw plainError(400, `subject must have at most ${subjectLengthMax} characters`, "subject");
  }
  const { active, generate_plain_content: generated } = body;
  if (active !== undefined && active !== 0 && active !== 1) throw plainError(400, "active must be 0 or 1", "active");
  if (sourceBytes > sourceBytesMax) {
    throw plainError(400, `html_content and plain_content must have at most ${sourceBytesMax} bytes`, "html_content");
  }
  const version: TemplateVersion = {
    ...present,
    name,
    generate_plain_content: (generated ?? present.generate_plain_content) === true,
    subject,
    updated_at: instantText(services),
    editor: editor === "design" ? "design" : "code",
    sourceBytes,
  };
  return [version, source, active];
}

/** Returns the present instant as templates show it: `2026-11-20 10:42:07`. */
function instantText({ now }: Pick<ProviderServices, "now">): string {
  return new Date(now()).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the JSON of a template as lists show it: versions without their sources. */
function shownTemplate({ versions, ...template }: Template): JsonObject {
  return { ...template, versions: versions.map(shownVersion) };
}

function shownVersion({ sourceBytes: _hidden, ...version }: TemplateVersion): JsonObject {
  return version;
}

/** Responds with a template and the sources of its versions. */
async function whole({ templates }: TemplateCall, template: Template, status = 200): Promise<ProviderResponse> {
  const versions: JsonObject[] = [];
  for (const version of template.versions) versions.push(await withSource(templates, version));
  return jsonResponse(status, { ...template, versions });
}

async function wholeVersion(
  { templates, versionId }: TemplateCall,
  template: Template,
  status = 200,
): Promise<ProviderResponse> {
  return jsonResponse(status, await withSource(templates, versionIn(template, versionId)));
}

async function withSource(templates: Templates, version: TemplateVersion): Promise<JsonObject> {
  return { ...shownVersion(version), user_id: 0, ...(await templates.source(version.id)), warnings: [] };
}
