/**
 * Templates and their versions: https://www.twilio.com/docs/sendgrid/api-reference/transactional-templates. A template is an
 * object of kind `template` that lists its versions; the sources of each version, which may be large, are one of kind
 * `source`. Both have the members that the API shows.
 */
import { digitsOfUuid } from "../formats/uuid.ts";
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
  /** `2026-11-20 10:42:07` in UTC, also of versions. */
  readonly updated_at: string;
  /** In the order of their creation; at most one is active. */
  readonly versions: readonly TemplateVersion[];
}

/** Version of a template without its sources. */
export interface TemplateVersion {
  /** UUID. */
  readonly id: string;
  readonly template_id: string;
  readonly active: 0 | 1;
  readonly name: string;
  readonly generate_plain_content: boolean;
  readonly subject: string;
  readonly updated_at: string;
  readonly editor: "code" | "design";
  readonly thumbnail_url: "";
  /** Size of the sources in bytes of JSON; not shown. */
  readonly sourceBytes: number;
}

/** Sources of a version; "" for none. The test data, for previews in the application, are not used here. */
export type VersionSource = Readonly<Record<"html_content" | "plain_content" | "test_data", string>>;

/** Sources of a version without any. */
export const emptySource: VersionSource = { html_content: "", plain_content: "", test_data: "" };

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

  /** Returns a template. */
  async open(id: string): Promise<Template> {
    return known(idPattern.test(id) ? await this.#templates.find(id) : undefined);
  }

  /** Returns all templates in the order of their creation. */
  async all(): Promise<readonly Template[]> {
    return this.#templates.all();
  }

  /** Creates a template without a version. */
  async create(members: Pick<Template, "name" | "generation" | "updated_at">): Promise<Template> {
    const uuid = randomUUID();
    const id = members.generation === "dynamic" ? `d-${digitsOfUuid(uuid)}` : uuid;
    const template: Template = { id, ...members, versions: [] };
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
    for (const version of versions) await this.#sources.remove(version.id);
    if (!isRemoved) throw resourceNotFound();
  }

  /** Returns the sources of a version; empty ones when another call has removed it. */
  async source(versionId: string): Promise<VersionSource> {
    return (await this.#sources.find(versionId)) ?? emptySource;
  }

  /**
   * Creates or replaces a version; without `active`, the first one of a template becomes active. Rejects with `limit_reached`
   * above 300 versions or 5 MB of sources of a template.
   */
  async putVersion(version: TemplateVersion, source: VersionSource, active?: 0 | 1): Promise<Template> {
    const changed = (template: Template): Template => withVersion(template, version, active);
    changed(await this.open(version.template_id));
    await this.#sources.put(version.id, source);
    return this.change(version.template_id, changed);
  }

  /** Removes a version. */
  async removeVersion(id: string, versionId: string): Promise<void> {
    versionIn(await this.open(id), versionId);
    await this.change(id, (one) => ({ ...one, versions: one.versions.filter((version) => version.id !== versionId) }));
    if (!(await this.#sources.remove(versionId))) throw resourceNotFound();
  }

  /** Returns the sources of the active version; null for a template that is not stored or has no active version. */
  async active(id: string): Promise<Bodies | null> {
    const template = idPattern.test(id) ? await this.#templates.find(id) : undefined;
    const version = template?.versions.find(({ active }) => active === 1);
    if (version === undefined) return null;
    const { html_content: html, plain_content: text } = await this.source(version.id);
    return { subject: version.subject || null, html: html || null, text: text || null };
  }
}

/** Returns the version of a template; throws a 404 for an unknown one. */
export function versionIn({ versions }: Template, versionId: string): TemplateVersion {
  return known(versions.find(({ id }) => id === versionId));
}

/** Returns a template whose only active version is this one; the same template without such a version. */
export function withActive(template: Template, versionId: string): Template {
  if (!template.versions.some(({ id }) => id === versionId)) return template;
  return { ...template, versions: template.versions.map((one) => ({ ...one, active: one.id === versionId ? 1 : 0 })) };
}

function known<Found>(found: Found | undefined): Found {
  if (found === undefined) throw resourceNotFound();
  return found;
}

function withVersion(template: Template, version: TemplateVersion, active?: 0 | 1): Template {
  const present = template.versions;
  const at = present.findIndex(({ id }) => id === version.id);
  const { active: before = 0 } = present[at] ?? {};
  const placed: TemplateVersion = { ...version, active: active ?? (present.length === 0 ? 1 : before) };
  const versions = at === -1 ? [...present, placed] : present.with(at, placed);
  const bytes = versions.reduce((sum, { sourceBytes }) => sum + sourceBytes, 0);
  if (versions.length > versionCountMax || bytes > templateBytesMax) throw new Problem("limit_reached");
  return active === 1 ? withActive({ ...template, versions }, version.id) : { ...template, versions };
}
