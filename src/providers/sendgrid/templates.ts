/**
 * Templates and their versions: https://www.twilio.com/docs/sendgrid/api-reference/transactional-templates. A template is an
 * object of kind `template`, each version one of a kind of its template, because a version holds up to a megabyte.
 */
import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { ProviderSession } from "../provider.ts";
import type { StoredTemplate } from "./render.ts";

/** Template as it is stored. */
export interface Template {
  readonly name: string;
  readonly generation: "legacy" | "dynamic";
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  /** Id of the version that mail is rendered with; null without one. */
  readonly activeVersion: string | null;
}

/** Version of a template as it is stored. */
export interface TemplateVersion {
  readonly name: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly generatesText: boolean;
  readonly editor: "code" | "design";
  readonly testData: string;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** Stored value with its id. */
export type WithId<Value> = Value & { readonly id: string };

const kind = "template";
const versionKind = (templateId: string): string => `v:${templateId}`;
const attemptCountMax = 20;
const idPattern = /^(?:d-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** Versions of one template that are listed. */
const versionCountMax = 300;

/** Returns the sources of the active version; null for a template that is not stored or has no version. */
export async function activeVersion(session: ProviderSession, id: string): Promise<StoredTemplate | null> {
  const template = await findTemplate(session, id);
  if (template === undefined || template.activeVersion === null) return null;
  return (await findVersion(session, id, template.activeVersion)) ?? null;
}

/** Returns a template; undefined for an unknown id. */
export async function findTemplate(session: ProviderSession, id: string): Promise<WithId<Template> | undefined> {
  const found = idPattern.test(id) ? await session.objects.get(kind, id) : undefined;
  return found === undefined ? undefined : { ...(found.value as Template), id };
}

/** Returns at most 1000 templates in the order of their creation. */
export async function listTemplates(session: ProviderSession, offset: number): Promise<readonly WithId<Template>[]> {
  const page = await session.objects.list(kind, offset);
  return page.map(({ id, value }) => ({ ...(value as Template), id }));
}

/** Creates a template without a version. */
export async function createTemplate(
  session: ProviderSession,
  { name, generation, now }: Pick<Template, "name" | "generation"> & { readonly now: number },
): Promise<WithId<Template>> {
  const uuid = randomUUID();
  const id = generation === "dynamic" ? `d-${uuid.replaceAll("-", "")}` : uuid;
  const value: Template = { name, generation, updatedAt: now, activeVersion: null };
  await session.objects.put(kind, id, { value, version: 0 });
  return { ...value, id };
}

/** Changes a template, also while others change it; undefined for an unknown id. */
export async function changeTemplate(
  session: ProviderSession,
  id: string,
  changed: (template: Template) => Template,
): Promise<WithId<Template> | undefined> {
  for (let attempt = 0; attempt < attemptCountMax; attempt += 1) {
    const found = idPattern.test(id) ? await session.objects.get(kind, id) : undefined;
    if (found === undefined) return undefined;
    const value = changed(found.value as Template);
    if (await session.objects.put(kind, id, { value, version: found.version })) return { ...value, id };
  }
  throw new Problem("too_many_requests", { retryAfterSeconds: 1 });
}

/** Removes a template and its versions; false for an unknown id. */
export async function removeTemplate(session: ProviderSession, id: string): Promise<boolean> {
  if (!idPattern.test(id)) return false;
  const isRemoved = await session.objects.remove(kind, id);
  for (const version of await listVersions(session, id)) await session.objects.remove(versionKind(id), version.id);
  return isRemoved;
}

/** Returns the versions of a template in the order of their creation. */
export async function listVersions(
  session: ProviderSession,
  templateId: string,
): Promise<readonly WithId<TemplateVersion>[]> {
  const page = await session.objects.list(versionKind(templateId));
  return page.map(({ id, value }) => ({ ...(value as TemplateVersion), id }));
}

/** Returns a version; undefined for an unknown id. */
export async function findVersion(
  session: ProviderSession,
  templateId: string,
  id: string,
): Promise<WithId<TemplateVersion> | undefined> {
  if (!idPattern.test(templateId) || !idPattern.test(id)) return undefined;
  const found = await session.objects.get(versionKind(templateId), id);
  return found === undefined ? undefined : { ...(found.value as TemplateVersion), id };
}

/** Stores a new version; null above 300 versions of the template. */
export async function createVersion(
  session: ProviderSession,
  templateId: string,
  value: TemplateVersion,
): Promise<WithId<TemplateVersion> | null> {
  if ((await listVersions(session, templateId)).length >= versionCountMax) return null;
  const id = randomUUID();
  await session.objects.put(versionKind(templateId), id, { value, version: 0 });
  return { ...value, id };
}

/** Replaces a version. */
export async function putVersion(
  session: ProviderSession,
  templateId: string,
  { id, ...value }: WithId<TemplateVersion>,
): Promise<void> {
  await session.objects.put(versionKind(templateId), id, { value });
}

/** Removes a version; false for an unknown id. */
export async function removeVersion(session: ProviderSession, templateId: string, id: string): Promise<boolean> {
  if (!idPattern.test(templateId) || !idPattern.test(id)) return false;
  return session.objects.remove(versionKind(templateId), id);
}
