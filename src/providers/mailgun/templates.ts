/** Templates of a domain: stored as the API shows them, the content of each version as an object of its own. */
import { createHash } from "node:crypto";
import type { EmailSession } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import { Collection } from "../kit/objects.ts";
import type { ProviderRequest, ProviderServices } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";

/** Most templates of a domain. */
export const templateCountMax = 100;
/** Most versions of a template. */
export const versionCountMax = 40;
/** Longest content of a version, in bytes. */
export const contentBytesMax: number = 100 * 1024;

/** Version of a template without its content. */
export interface TemplateVersion {
  readonly tag: string;
  readonly engine: "handlebars";
  /** `Fri, 20 Nov 2026 10:42:07 UTC`, also of templates. */
  readonly createdAt: string;
  readonly comment: string;
  readonly active: boolean;
  readonly id: string;
  /** Header fields that the version sets. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Template with its versions, in the order of their creation. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly id: string;
  readonly versions: readonly TemplateVersion[];
}

/** Templates of one domain by name, and the contents of versions by the version's id. */
export interface TemplateStore {
  readonly templates: Collection<Template>;
  readonly contents: Collection<string>;
}

/** Opens the templates of a domain; names are compared in lower case. */
export function openTemplates(session: EmailSession, domain: string): TemplateStore {
  const hash = createHash("sha256").update(domain.toLowerCase()).digest("hex").slice(0, 24);
  return {
    templates: new Collection(session, `template:${hash}`),
    contents: new Collection(session, `content:${hash}`),
  };
}

/** Rendered template; `headers` with names in lower case. */
export interface RenderedTemplate {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Renders a stored template; undefined when the template or the version is not stored. */
export async function renderStored(
  { templates, contents }: TemplateStore,
  services: ProviderServices,
  choice: { readonly id: string; readonly version: string | null; readonly data: JsonObject },
): Promise<RenderedTemplate | undefined> {
  const template = isTemplateName(choice.id) ? await templates.find(choice.id.toLowerCase()) : undefined;
  const version = template?.versions.find(({ tag, active }) =>
    choice.version === null ? active : tag === choice.version.toLowerCase(),
  );
  if (template === undefined || version === undefined) return undefined;
  const headers = Object.entries(version.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const html = (await contents.find(version.id)) ?? "";
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

const limitMax = 100;

/** Items of one page, and the URLs of the others. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly paging: Readonly<Record<"first" | "last" | "next" | "previous", string>>;
}

/** Returns the page that a request asks for with `page`, `limit` and the pivot `p`, the name of an item. */
export function listPage<Item>(
  all: readonly Item[],
  { request, nameOf }: { readonly request: ProviderRequest; readonly nameOf: (item: Item) => string },
): ListPage<Item> {
  const { fields, path } = request;
  const limitText = fieldOf(fields, "limit");
  if (limitText !== undefined && !/^[1-9]\d{0,5}$/.test(limitText)) throw mailgunError(texts.parameterInvalid("limit"));
  const limit = Math.min(Number(limitText ?? limitMax), limitMax);
  const pivot = all.findIndex((item) => nameOf(item) === fieldOf(fields, "p"));
  const before = (pivot === -1 ? 0 : pivot) - limit;
  const starts = new Map([
    // Without a pivot, as in the URL of an empty page, there is nothing after it.
    ["next", pivot === -1 ? all.length : pivot + 1],
    ["prev", before],
    ["previous", before],
    ["last", Math.max(0, all.length - limit)],
  ]);
  const start = starts.get(fieldOf(fields, "page") ?? "") ?? 0;
  const items = all.slice(Math.max(0, start), Math.max(0, start + limit));
  const base = `${urlBeforePath(request)}${path}?`;
  const urlOf = (page: string, item: Item | undefined): string =>
    `${base}page=${page}&p=${encodeURIComponent(item === undefined ? "" : nameOf(item))}&limit=${limit}`;
  return {
    items,
    paging: {
      first: `${base}limit=${limit}`,
      last: `${base}page=last&limit=${limit}`,
      next: urlOf("next", items.at(-1)),
      previous: urlOf("prev", items[0]),
    },
  };
}
