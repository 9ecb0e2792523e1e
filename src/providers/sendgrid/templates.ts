/**
 * Templates and their versions: https://www.twilio.com/docs/sendgrid/api-reference/transactional-templates. A template is an
 * object of kind `template` that lists its versions; the sources of each version, which may be large, are one of kind
 * `source`.
 */
import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import { Collection } from "../kit/objects.ts";
import type { Bodies } from "../kit/templates.ts";
import type { ProviderSession } from "../provider.ts";

/** Template as it is stored. */
export interface Template {
  readonly name: string;
  readonly generation: "legacy" | "dynamic";
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  /** Id of the version that mail is rendered with; null without one. */
  readonly activeVersion: string | null;
  /** In the order of their creation. */
  readonly versions: readonly TemplateVersion[];
}

/** Version of a template without its sources. */
export interface TemplateVersion {
  readonly id: string;
  readonly name: string;
  readonly subject: string;
  readonly generatesText: boolean;
  readonly editor: "code" | "design";
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  /** Size of the sources in bytes of JSON. */
  readonly sourceBytes: number;
}

/** Sources of a version; "" for none. */
export interface VersionSource {
  readonly html: string;
  readonly text: string;
  /** Data for previews in the application; not used here. */
  readonly testData: string;
}

/** Template with its id. */
export type IdentifiedTemplate = Template & { readonly id: string };

const idPattern = /^(?:d-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const versionCountMax = 300;
/** Bytes of all versions of a template together, because one response contains them. */
const templateBytesMax = 5_000_000;

/** Templates of a caller, and the sources of their versions. */
function openTemplates(session: ProviderSession) {
  return {
    templates: new Collection<Template>(session, "template"),
    sources: new Collection<VersionSource>(session, "source"),
  };
}

/** Returns the sources of the active version; null for a template that is not stored or has no version. */
export async function activeVersion(session: ProviderSession, id: string): Promise<Bodies | null> {
  const template = await findTemplate(session, id);
  const version = template?.versions.find((one) => one.id === template.activeVersion);
  if (version === undefined) return null;
  const { html, text } = await readSource(session, id, version.id);
  return { subject: version.subject || null, html: html || null, text: text || null };
}

/** Returns a template; undefined for an unknown id. */
export async function findTemplate(session: ProviderSession, id: string): Promise<IdentifiedTemplate | undefined> {
  const template = idPattern.test(id) ? await openTemplates(session).templates.find(id) : undefined;
  return template === undefined ? undefined : { ...template, id };
}

/** Returns all templates in the order of their creation. */
export async function listTemplates(session: ProviderSession): Promise<readonly IdentifiedTemplate[]> {
  return (await openTemplates(session).templates.objects()).map(({ id, value }) => ({ ...value, id }));
}

/** Creates a template without a version. */
export async function createTemplate(
  session: ProviderSession,
  { name, generation, now }: Pick<Template, "name" | "generation"> & { readonly now: number },
): Promise<IdentifiedTemplate> {
  const uuid = randomUUID();
  const id = generation === "dynamic" ? `d-${uuid.replaceAll("-", "")}` : uuid;
  const value: Template = { name, generation, updatedAt: now, activeVersion: null, versions: [] };
  await openTemplates(session).templates.create(id, value);
  return { ...value, id };
}

/** Changes a template, also while others change it; undefined for an unknown id. */
export async function changeTemplate(
  session: ProviderSession,
  id: string,
  changed: (template: Template) => Template,
): Promise<IdentifiedTemplate | undefined> {
  const template = idPattern.test(id) ? await openTemplates(session).templates.change(id, changed) : undefined;
  return template === undefined ? undefined : { ...template, id };
}

/** Removes a template with its versions; false for an unknown id. */
export async function removeTemplate(session: ProviderSession, id: string): Promise<boolean> {
  const { templates, sources } = openTemplates(session);
  const template = await findTemplate(session, id);
  if (template === undefined) return false;
  const isRemoved = await templates.remove(id);
  for (const { id: version } of template.versions) await sources.remove(sourceId(id, version));
  return isRemoved;
}

/** Returns the sources of a version; empty ones when another call has removed it. */
export async function readSource(
  session: ProviderSession,
  templateId: string,
  versionId: string,
): Promise<VersionSource> {
  const found = await openTemplates(session).sources.find(sourceId(templateId, versionId));
  return found ?? { html: "", text: "", testData: "" };
}

function sourceId(templateId: string, versionId: string): string {
  return `${templateId}/${versionId}`;
}

/** Version to store; `isActive` null leaves the active version, and makes the first one of a template active. */
export interface VersionChange {
  readonly version: TemplateVersion;
  readonly source: VersionSource;
  readonly isActive: boolean | null;
}

/**
 * Creates or replaces a version; undefined for an unknown template. Rejects with `limit_reached` above 300 versions or 5 MB
 * of sources of a template.
 */
export async function putVersion(
  session: ProviderSession,
  templateId: string,
  { version, source, isActive }: VersionChange,
): Promise<IdentifiedTemplate | undefined> {
  const template = await findTemplate(session, templateId);
  if (template === undefined) return undefined;
  checkLimits(withVersion(template, version));
  await openTemplates(session).sources.put(sourceId(templateId, version.id), source);
  return changeTemplate(session, templateId, (present) => {
    const becomesActive = isActive ?? present.versions.length === 0;
    const active = becomesActive ? version.id : activeWithout(present, { version, isActive });
    return { ...present, versions: checkLimits(withVersion(present, version)), activeVersion: active };
  });
}

function activeWithout(
  { activeVersion: active }: Template,
  { version, isActive }: Pick<VersionChange, "version" | "isActive">,
): string | null {
  return isActive === false && active === version.id ? null : active;
}

function withVersion({ versions }: Template, version: TemplateVersion): readonly TemplateVersion[] {
  const isKnown = versions.some(({ id }) => id === version.id);
  return isKnown ? versions.map((one) => (one.id === version.id ? version : one)) : [...versions, version];
}

function checkLimits(versions: readonly TemplateVersion[]): readonly TemplateVersion[] {
  const bytes = versions.reduce((sum, { sourceBytes }) => sum + sourceBytes, 0);
  if (versions.length > versionCountMax || bytes > templateBytesMax) throw new Problem("limit_reached");
  return versions;
}

/** Activates a version; undefined for an unknown one. */
export async function activateVersion(
  session: ProviderSession,
  templateId: string,
  versionId: string,
): Promise<IdentifiedTemplate | undefined> {
  const template = await changeTemplate(session, templateId, (present) =>
    hasVersion(present, versionId) ? { ...present, activeVersion: versionId } : present,
  );
  return template !== undefined && hasVersion(template, versionId) ? template : undefined;
}

function hasVersion({ versions }: Template, versionId: string): boolean {
  return versions.some(({ id }) => id === versionId);
}

/** Removes a version; false for an unknown one. */
export async function removeVersion(session: ProviderSession, templateId: string, versionId: string): Promise<boolean> {
  const template = await findTemplate(session, templateId);
  if (template === undefined || !hasVersion(template, versionId)) return false;
  await changeTemplate(session, templateId, (present) => ({
    ...present,
    versions: present.versions.filter(({ id }) => id !== versionId),
    activeVersion: present.activeVersion === versionId ? null : present.activeVersion,
  }));
  return openTemplates(session).sources.remove(sourceId(templateId, versionId));
}
