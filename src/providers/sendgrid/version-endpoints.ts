import { randomUUID } from "node:crypto";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { plainError, resourceNotFound } from "./errors.ts";
import { noContent } from "./response.ts";
import { versionJson } from "./template-endpoints.ts";
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

const nameLengthMax = 100;
const subjectLengthMax = 255;
/** UTF-8 bytes of a version's HTML and text together; the API allows 1 MiB for each. */
const sourceBytesMax = 900_000;

/** Creates a version: `POST /v3/templates/:id/versions`. The first version is active. */
export const postVersion: Handler = async (call) => {
  const { request, session, services } = call;
  const { templateId } = idsOf(call);
  if ((await findTemplate(session, templateId)) === undefined) throw resourceNotFound();
  const read = readVersion(request, newVersion(), services.now());
  if (read.version.name === "") throw plainError(400, "name is required", "name");
  if (read.version.subject === "") throw plainError(400, "subject is required", "subject");
  return shown(call, await putVersion(session, templateId, read), { versionId: read.version.id, status: 201 });
};

/** Returns a version: `GET /v3/templates/:id/versions/:version`. */
export const getVersion: Handler = async (call) => {
  const { templateId, versionId } = idsOf(call);
  return shown(call, await findTemplate(call.session, templateId), { versionId });
};

/** Changes a version: `PATCH /v3/templates/:id/versions/:version`. */
export const patchVersion: Handler = async (call) => {
  const { request, session, services } = call;
  const { templateId, versionId } = idsOf(call);
  const version = (await findTemplate(session, templateId))?.versions.find(({ id }) => id === versionId);
  if (version === undefined) throw resourceNotFound();
  const source = await readSource(session, templateId, versionId);
  const read = readVersion(request, { version, source }, services.now());
  return shown(call, await putVersion(session, templateId, read), { versionId });
};

/** Activates a version: `POST /v3/templates/:id/versions/:version/activate`. */
export const activate: Handler = async (call) => {
  const { templateId, versionId } = idsOf(call);
  return shown(call, await activateVersion(call.session, templateId, versionId), { versionId });
};

/** Removes a version: `DELETE /v3/templates/:id/versions/:version`. */
export const deleteVersion: Handler = async (call) => {
  const { templateId, versionId } = idsOf(call);
  if (!(await removeVersion(call.session, templateId, versionId))) throw resourceNotFound();
  return noContent;
};

async function shown(
  { session }: Call,
  template: IdentifiedTemplate | undefined,
  { versionId, status = 200 }: { readonly versionId: string; readonly status?: number },
): Promise<ProviderResponse> {
  const version = template?.versions.find(({ id }) => id === versionId);
  if (template === undefined || version === undefined) throw resourceNotFound();
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

const textFields = ["name", "subject", "html_content", "plain_content", "editor", "test_data"];

/** Reads a version; members that are absent keep their present value. */
function readVersion(
  { body }: ProviderRequest,
  { version: present, source: kept }: Version,
  now: number,
): Version & { readonly isActive: boolean | null } {
  const value = readJson(body);
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
    updatedAt: now,
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

function idsOf({ request: { params } }: Call): { readonly templateId: string; readonly versionId: string } {
  return { templateId: params["id"] ?? "", versionId: params["version"] ?? "" };
}
