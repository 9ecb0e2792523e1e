import { randomUUID } from "node:crypto";
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
import { versionJson } from "./template-json.ts";
import {
  activateVersion,
  findTemplate,
  putVersion,
  readSource,
  removeVersion,
  type IdentifiedTemplate,
  type TemplateVersion,
  type VersionSource,
} from "./templates.ts";

type Handler = (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;

const nameLengthMax = 100;
const subjectLengthMax = 255;
/** UTF-8 bytes of a version's HTML and text together; the API allows 1 MiB for each. */
const sourceBytesMax = 900_000;
const notFound = plainError(404, "resource not found");

/** Creates a version: `POST /v3/templates/:id/versions`. The first version is active. */
export const postVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { templateId } = idsOf(request);
  if ((await findTemplate(session, templateId)) === undefined) return notFound;
  const read = readVersion(request, newVersion(), services.now());
  if (read.error !== undefined) return read.error;
  if (read.version.name === "") return plainError(400, "name is required", "name");
  if (read.version.subject === "") return plainError(400, "subject is required", "subject");
  const template = await putVersion(session, templateId, read);
  return shown(session, template, { versionId: read.version.id, status: 201 });
};

/** Returns a version: `GET /v3/templates/:id/versions/:version`. */
export const getVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  const { templateId, versionId } = idsOf(request);
  return shown(session, await findTemplate(session, templateId), { versionId, status: 200 });
};

/** Changes a version: `PATCH /v3/templates/:id/versions/:version`. */
export const patchVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { templateId, versionId } = idsOf(request);
  const version = (await findTemplate(session, templateId))?.versions.find(({ id }) => id === versionId);
  if (version === undefined) return notFound;
  const source = await readSource(session, templateId, versionId);
  const read = readVersion(request, { version, source }, services.now());
  if (read.error !== undefined) return read.error;
  return shown(session, await putVersion(session, templateId, read), { versionId, status: 200 });
};

/** Activates a version: `POST /v3/templates/:id/versions/:version/activate`. */
export const activate: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { templateId, versionId } = idsOf(request);
  return shown(session, await activateVersion(session, templateId, versionId), { versionId, status: 200 });
};

/** Removes a version: `DELETE /v3/templates/:id/versions/:version`. */
export const deleteVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { templateId, versionId } = idsOf(request);
  return (await removeVersion(session, templateId, versionId)) ? noContent : notFound;
};

async function shown(
  session: ProviderSession,
  template: IdentifiedTemplate | undefined,
  { versionId, status }: { readonly versionId: string; readonly status: number },
): Promise<ProviderResponse> {
  const version = template?.versions.find(({ id }) => id === versionId);
  if (template === undefined || version === undefined) return notFound;
  return jsonResponse(status, await versionJson(session, template, version));
}

interface Version {
  readonly version: TemplateVersion;
  readonly source: VersionSource;
}

function newVersion(): Version {
  return {
    version: {
      id: randomUUID(),
      name: "",
      subject: "",
      generatesText: true,
      editor: "code",
      updatedAt: 0,
      sourceBytes: 0,
    },
    source: { html: "", text: "", testData: "" },
  };
}

type VersionReading =
  | (Version & { readonly isActive: boolean | null; readonly error?: undefined })
  | { readonly error: ProviderResponse };

const textFields = ["name", "subject", "html_content", "plain_content", "editor", "test_data"];

/** Reads a version; members that are absent keep their present value. */
function readVersion(
  { body }: ProviderRequest,
  { version: present, source: kept }: Version,
  now: number,
): VersionReading {
  const value = readJson(body);
  if (!isJsonObject(value)) return { error: plainError(400, "Bad Request") };
  const wrong = textFields.find((field) => !["string", "undefined"].includes(typeof (value[field] ?? undefined)));
  if (wrong !== undefined) return { error: plainError(400, `${wrong} must be a string`, wrong) };
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
    updatedAt: now,
    sourceBytes: Buffer.byteLength(JSON.stringify(source)),
  };
  const error = versionError(value, version);
  const { active } = value;
  return error === undefined ? { version, source, isActive: active === undefined ? null : active === 1 } : { error };
}

function versionError(
  value: JsonObject,
  { name, subject, sourceBytes }: TemplateVersion,
): ProviderResponse | undefined {
  if (name.length > nameLengthMax) return plainError(400, `name must have at most ${nameLengthMax} characters`, "name");
  if (subject.length > subjectLengthMax) {
    return plainError(400, `subject must have at most ${subjectLengthMax} characters`, "subject");
  }
  const { active = 0 } = value;
  if (active !== 0 && active !== 1) return plainError(400, "active must be 0 or 1", "active");
  if (sourceBytes > sourceBytesMax) {
    return plainError(400, `html_content and plain_content must have at most ${sourceBytesMax} bytes`, "html_content");
  }
  return undefined;
}

function idsOf({ params }: ProviderRequest): { readonly templateId: string; readonly versionId: string } {
  return { templateId: params["id"] ?? "", versionId: params["version"] ?? "" };
}
