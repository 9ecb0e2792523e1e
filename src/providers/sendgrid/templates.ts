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
import { resourceNotFound } from "./errors.ts";

/** Template as it is stored. */
export interface Template {
  readonly id: string;
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

/** Version to store; `isActive` null leaves the active version, and makes the first one of a template active. */
export interface VersionChange {
  readonly version: TemplateVersion;
  readonly source: VersionSource;
  readonly isActive: boolean | null;
}

/** Sources of a version without any. */
export const emptySource: VersionSource = { html: "", text: "", testData: "" };

const idPattern = /^(?:d-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const versionCountMax = 300;
/** Bytes of all versions of a template together, because one response contains them. */
const templateBytesMax = 5_000_000;

/** Templates of a caller. Methods that name a template or version reject with a 404 when it is unknown. */
export class Templates {
  readonly #templates: Collection<Template>;
  readonly #sources: Collection<VersionSource>;

  constructor(session: ProviderSession) {
    this.#templates = new Collection(session, "template");
    this.#sources = new Collection(session, "source");
  }

  /** Returns a template; undefined for an unknown id. */
  async find(id: string): Promise<Template | undefined> {
    return idPattern.test(id) ? this.#templates.find(id) : undefined;
  }

  /** Returns a template. */
  async open(id: string): Promise<Template> {
    return known(await this.find(id));
  }

  /** Returns all templates in the order of their creation. */
  async all(): Promise<readonly Template[]> {
    return this.#templates.all();
  }

  /** Creates a template without a version. */
  async create({
    name,
    generation,
    updatedAt,
  }: Omit<Template, "id" | "versions" | "activeVersion">): Promise<Template> {
    const uuid = randomUUID();
    const id = generation === "dynamic" ? `d-${uuid.replaceAll("-", "")}` : uuid;
    const template: Template = { id, name, generation, updatedAt, activeVersion: null, versions: [] };
    await this.#templates.create(id, template);
    return template;
  }

  /** Changes a template, also while others change it. */
  async change(id: string, changed: (template: Template) => Template): Promise<Template> {
    return known(idPattern.test(id) ? await this.#templates.change(id, changed) : undefined);
  }

  /** Removes a template with its versions. */
  async remove(id: string): Promise<void> {
    const { versions } = await this.open(id);
    const isRemoved = await this.#templates.remove(id);
    for (const version of versions) await this.#sources.remove(sourceId(id, version.id));
    if (!isRemoved) throw resourceNotFound();
  }

  /** Returns the sources of a version; empty ones when another call has removed it. */
  async source(templateId: string, versionId: string): Promise<VersionSource> {
    return (await this.#sources.find(sourceId(templateId, versionId))) ?? emptySource;
  }

  /** Creates or replaces a version. Rejects with `limit_reached` above 300 versions or 5 MB of sources of a template. */
  async putVersion(id: string, { version, source, isActive }: VersionChange): Promise<Template> {
    checkLimits(withVersion(await this.open(id), version));
    await this.#sources.put(sourceId(id, version.id), source);
    return this.change(id, (present) => {
      const { activeVersion: active, versions } = present;
      const kept = isActive === false && active === version.id ? null : active;
      const activeVersion = (isActive ?? versions.length === 0) ? version.id : kept;
      return { ...present, versions: checkLimits(withVersion(present, version)), activeVersion };
    });
  }

  /** Removes a version. */
  async removeVersion(id: string, versionId: string): Promise<void> {
    versionIn(await this.open(id), versionId);
    await this.change(id, (present) => ({
      ...present,
      versions: present.versions.filter((one) => one.id !== versionId),
      activeVersion: present.activeVersion === versionId ? null : present.activeVersion,
    }));
    if (!(await this.#sources.remove(sourceId(id, versionId)))) throw resourceNotFound();
  }

  /** Returns the sources of the active version; null for a template that is not stored or has no version. */
  async active(id: string): Promise<Bodies | null> {
    const template = await this.find(id);
    const version = template?.versions.find((one) => one.id === template.activeVersion);
    if (version === undefined) return null;
    const { html, text } = await this.source(id, version.id);
    return { subject: version.subject || null, html: html || null, text: text || null };
  }
}

/** Returns the version of a template; throws a 404 for an unknown one. */
export function versionIn({ versions }: Template, versionId: string): TemplateVersion {
  return known(versions.find(({ id }) => id === versionId));
}

function known<Found>(found: Found | undefined): Found {
  if (found === undefined) throw resourceNotFound();
  return found;
}

function sourceId(templateId: string, versionId: string): string {
  return `${templateId}/${versionId}`;
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
