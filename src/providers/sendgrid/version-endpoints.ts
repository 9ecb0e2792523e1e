import { isJsonObject, readJson, type JsonObject } from "../json-body.ts";
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
  changeTemplate,
  createVersion,
  findTemplate,
  findVersion,
  putVersion,
  removeVersion,
  type TemplateVersion,
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
  const template = await findTemplate(session, idsOf(request).templateId);
  if (template === undefined) return notFound;
  const read = readVersion(request, emptyVersion, services.now());
  if (read.error !== undefined) return read.error;
  if (read.version.name === "") return plainError(400, "name is required", "name");
  if (read.version.subject === "") return plainError(400, "subject is required", "subject");
  const version = await createVersion(session, template.id, read.version);
  if (version === null) return plainError(400, "A template can have at most 300 versions");
  const isActive = read.isActive ?? template.activeVersion === null;
  return shown(session, { templateId: template.id, versionId: version.id, isActive, status: 201 });
};

/** Returns a version: `GET /v3/templates/:id/versions/:version`. */
export const getVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  return shown(session, { ...idsOf(request), isActive: null, status: 200 });
};

/** Changes a version: `PATCH /v3/templates/:id/versions/:version`. */
export const patchVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { templateId, versionId } = idsOf(request);
  const present = await findVersion(session, templateId, versionId);
  if (present === undefined) return notFound;
  const read = readVersion(request, present, services.now());
  if (read.error !== undefined) return read.error;
  await putVersion(session, templateId, { ...read.version, id: versionId });
  return shown(session, { templateId, versionId, isActive: read.isActive, status: 200 });
};

/** Activates a version: `POST /v3/templates/:id/versions/:version/activate`. */
export const activateVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { templateId, versionId } = idsOf(request);
  if ((await findVersion(session, templateId, versionId)) === undefined) return notFound;
  return shown(session, { templateId, versionId, isActive: true, status: 200 });
};

/** Removes a version: `DELETE /v3/templates/:id/versions/:version`. */
export const deleteVersion: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const { templateId, versionId } = idsOf(request);
  if (!(await removeVersion(session, templateId, versionId))) return notFound;
  await changeTemplate(session, templateId, (template) =>
    template.activeVersion === versionId ? { ...template, activeVersion: null } : template,
  );
  return noContent;
};

interface ShownVersion {
  readonly templateId: string;
  readonly versionId: string;
  /** Null leaves the active version as it is. */
  readonly isActive: boolean | null;
  readonly status: number;
}

async function shown(
  session: ProviderSession,
  { templateId, versionId, isActive, status }: ShownVersion,
): Promise<ProviderResponse> {
  const template = await (isActive === null
    ? findTemplate(session, templateId)
    : changeTemplate(session, templateId, (present) => {
        const others = present.activeVersion === versionId ? null : present.activeVersion;
        return { ...present, activeVersion: isActive ? versionId : others };
      }));
  const version = await findVersion(session, templateId, versionId);
  return template === undefined || version === undefined
    ? notFound
    : jsonResponse(status, versionJson(template, version));
}

const emptyVersion: TemplateVersion = {
  name: "",
  subject: "",
  html: "",
  text: "",
  generatesText: true,
  editor: "code",
  testData: "",
  updatedAt: 0,
};

type VersionReading =
  | { readonly version: TemplateVersion; readonly isActive: boolean | null; readonly error?: undefined }
  | { readonly error: ProviderResponse };

function readVersion({ body }: ProviderRequest, present: TemplateVersion, now: number): VersionReading {
  const value = readJson(body);
  if (!isJsonObject(value)) return { error: plainError(400, "Bad Request") };
  const text = (name: string, absent: string): string => {
    const member = value[name] ?? absent;
    return typeof member === "string" ? member : "";
  };
  const version: TemplateVersion = {
    name: text("name", present.name),
    subject: text("subject", present.subject),
    html: text("html_content", present.html),
    text: text("plain_content", present.text),
    generatesText:
      value["generate_plain_content"] === undefined ? present.generatesText : value["generate_plain_content"] === true,
    editor: text("editor", present.editor) === "design" ? "design" : "code",
    testData: text("test_data", present.testData),
    updatedAt: now,
  };
  const error = versionError(value, version);
  const { active } = value;
  return error === undefined ? { version, isActive: active === undefined ? null : active === 1 } : { error };
}

function versionError(
  value: JsonObject,
  { name, subject, html, text, testData }: TemplateVersion,
): ProviderResponse | undefined {
  const fields = ["name", "subject", "html_content", "plain_content", "editor", "test_data"];
  const wrong = fields.find((field) => !["string", "undefined"].includes(typeof (value[field] ?? undefined)));
  if (wrong !== undefined) return plainError(400, `${wrong} must be a string`, wrong);
  if (name.length > nameLengthMax) return plainError(400, `name must have at most ${nameLengthMax} characters`, "name");
  if (subject.length > subjectLengthMax) {
    return plainError(400, `subject must have at most ${subjectLengthMax} characters`, "subject");
  }
  const { active = 0 } = value;
  if (active !== 0 && active !== 1) return plainError(400, "active must be 0 or 1", "active");
  if (Buffer.byteLength(JSON.stringify([html, text, testData])) > sourceBytesMax) {
    return plainError(400, `html_content and plain_content must have at most ${sourceBytesMax} bytes`, "html_content");
  }
  return undefined;
}

function idsOf({ params }: ProviderRequest): { readonly templateId: string; readonly versionId: string } {
  return { templateId: params["id"] ?? "", versionId: params["version"] ?? "" };
}
