/** Templates of a domain: stored as objects of the caller, the content of each version as an object of its own. */
import { createHash } from "node:crypto";
import type { EmailSession } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { ProviderServices } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";

/** Most templates of a domain. */
export const templateCountMax = 100;
/** Most versions of a template. */
export const versionCountMax = 40;
/** Longest content of a version, in bytes. */
export const contentBytesMax: number = 100 * 1024;

/** Header fields that a version sets. */
export type TemplateHeaders = Readonly<Record<string, string>>;

/** Version of a template without its content. */
export interface TemplateVersion {
  readonly tag: string;
  readonly comment: string;
  readonly createdAt: number;
  readonly active: boolean;
  readonly id: string;
  readonly headers: TemplateHeaders;
}

/** Template with its versions, in the order of their creation. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly id: string;
  readonly versions: readonly TemplateVersion[];
}

/** Templates of one domain. */
export interface TemplateStore {
  /** Returns all templates in the order of their creation. */
  readonly list: () => Promise<readonly Template[]>;
  readonly find: (name: string) => Promise<Template | undefined>;
  /** Creates a template; rejects with Mailgun's error when the name is taken. */
  readonly create: (template: Template) => Promise<void>;
  /** Changes a template and returns it; rejects with Mailgun's 404 without one. */
  readonly change: (name: string, change: (template: Template) => Template) => Promise<Template>;
  readonly remove: (template: Template) => Promise<void>;
  /** Returns the content of a version by the version's id. */
  readonly contentOf: (id: string) => Promise<string>;
  readonly putContent: (id: string, content: string) => Promise<void>;
  readonly removeContent: (id: string) => Promise<void>;
}

/** Opens the templates of a domain; names are compared in lower case. */
export function openTemplates({ objects }: EmailSession, domain: string): TemplateStore {
  const hash = createHash("sha256").update(domain.toLowerCase()).digest("hex").slice(0, 24);
  const [kind, contentKind] = [`template:${hash}`, `content:${hash}`];
  return {
    list: async () => (await objects.list(kind)).map(({ value }) => value as Template),
    find: async (name) => (await objects.get(kind, name))?.value as Template | undefined,
    create: async (value) => {
      if (!(await objects.put(kind, value.name, { value, version: 0 }))) {
        throw mailgunError(texts.templateExists(value.name));
      }
    },
    change: async (name, change) => {
      for (;;) {
        const found = await objects.get(kind, name);
        if (found === undefined) throw mailgunError(texts.templateNotFound, "not_found");
        const value = change(found.value as Template);
        if (await objects.put(kind, name, { value, version: found.version })) return value;
      }
    },
    remove: async ({ name, versions }) => {
      await objects.remove(kind, name);
      for (const { id } of versions) await objects.remove(contentKind, id);
    },
    contentOf: async (id) => ((await objects.get(contentKind, id))?.value ?? "") as string,
    putContent: async (id, value) => void (await objects.put(contentKind, id, { value })),
    removeContent: async (id) => void (await objects.remove(contentKind, id)),
  };
}

/** Rendered template; `headers` with names in lower case. */
export interface RenderedTemplate {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Renders a stored template; undefined when the template or the version is not stored. */
export async function renderStored(
  store: TemplateStore,
  services: ProviderServices,
  choice: { readonly name: string; readonly version: string | null; readonly data: JsonObject },
): Promise<RenderedTemplate | undefined> {
  const template = isTemplateName(choice.name) ? await store.find(choice.name.toLowerCase()) : undefined;
  const version = template?.versions.find(({ tag, active }) =>
    choice.version === null ? active : tag === choice.version.toLowerCase(),
  );
  if (template === undefined || version === undefined) return undefined;
  const headers = Object.entries(version.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const html = await store.contentOf(version.id);
  const sources = { ...Object.fromEntries(headers.map(([name, value]) => [`header:${name}`, value])), html };
  const rendered = await services.renderTemplates({ language: "handlebars", sources, data: choice.data });
  return {
    html: rendered["html"] ?? "",
    headers: Object.fromEntries(headers.map(([name]) => [name, rendered[`header:${name}`] ?? ""])),
  };
}

/** Returns whether a text can be the name of a template or the tag of a version. */
export function isTemplateName(text: string): boolean {
  return /^[\w.~-]{1,99}$/.test(text);
}
