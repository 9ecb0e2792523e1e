/** Ids, instants and pages as MailerSend's API writes them. */
import { derivedHex } from "../formats/callback-values.ts";
import { naturalOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { invalid } from "./errors.ts";

/** Returns an instant as MailerSend writes it: `2026-11-22T10:42:07.123000Z`. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}

/** Returns the JSON of the domain of an address, or of one that a request names by its id. */
export function domainOf(address: string, createdAt: number): JsonObject {
  const name = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  const at = instantText(createdAt);
  return { id: derivedHex(16, name), name, created_at: at, updated_at: at };
}

/** Page of a list, as `page` and `limit` of a request ask for it. */
export interface PageRange {
  /** Starts at 1. */
  readonly page: number;
  readonly limit: number;
}

const pageMax = 100_000;

/** Reads the page that a request asks for; throws a rejection for invalid numbers. */
export function readPage({ fields }: Pick<ProviderRequest, "fields">): PageRange {
  const limitInvalid = invalid(["limit", "The limit must be between 10 and 100."]);
  const limit = naturalOf(fields, "limit", { absent: 25, max: 100, invalid: limitInvalid });
  if (limit < 10) throw limitInvalid;
  const pageInvalid = invalid(["page", "The page must be at least 1."]);
  return { limit, page: Math.max(1, naturalOf(fields, "page", { absent: 1, max: pageMax, invalid: pageInvalid })) };
}

/** Returns a page of items. */
export function pageResponse(
  request: Pick<ProviderRequest, "url" | "path">,
  { page, limit }: PageRange,
  { items, hasMore }: { readonly items: readonly JsonObject[]; readonly hasMore: boolean },
): ProviderResponse {
  const path = `${urlBeforePath(request)}${request.path}`;
  const linkTo = (number: number): string => `${path}?page=${number}`;
  const from = items.length === 0 ? null : (page - 1) * limit + 1;
  return jsonResponse(200, {
    data: items,
    links: {
      first: linkTo(1),
      last: null,
      prev: page === 1 ? null : linkTo(page - 1),
      next: hasMore ? linkTo(page + 1) : null,
    },
    meta: { current_page: page, from, path, per_page: limit, to: from === null ? null : from + items.length - 1 },
  });
}

/** Returns a page of a list that is in memory. */
export function pageOf(request: ProviderRequest, all: readonly JsonObject[]): ProviderResponse {
  const range = readPage(request);
  const end = range.page * range.limit;
  return pageResponse(request, range, { items: all.slice(end - range.limit, end), hasMore: all.length > end });
}
