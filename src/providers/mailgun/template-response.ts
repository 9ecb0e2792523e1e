/** Templates and their versions as Mailgun's API shows them, and the pages of lists. */
import { fieldOf } from "../formats/form.ts";
import type { ProviderRequest } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";
import { templateDate } from "./response.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import type { Template, TemplateVersion } from "./templates.ts";

const limitMax = 100;

type Wire = Readonly<Record<string, unknown>>;

/** Returns a template without its versions. */
export function templateWire({ name, description, createdAt, createdBy, id }: Template): Wire {
  return { name, description, createdAt: templateDate(createdAt), createdBy, id };
}

/** Returns a version; lists leave its content out. */
export function versionWire({ createdAt, ...version }: TemplateVersion, content?: string): Wire {
  const { tag, comment, active, id, headers } = version;
  const shown = { tag, engine: "handlebars", createdAt: templateDate(createdAt), comment, active, id, headers };
  return content === undefined ? shown : { ...shown, template: content };
}

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
  const start = startOf(fieldOf(fields, "page") ?? "first", { pivot, limit, count: all.length });
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

function startOf(
  page: string,
  { pivot, limit, count }: { readonly pivot: number; readonly limit: number; readonly count: number },
): number {
  switch (page) {
    case "next":
      // Without a pivot, as in the URL of an empty page, there is nothing after it.
      return pivot === -1 ? count : pivot + 1;
    case "prev":
    case "previous":
      return pivot === -1 ? -limit : pivot - limit;
    case "last":
      return Math.max(0, count - limit);
    default:
      return 0;
  }
}
