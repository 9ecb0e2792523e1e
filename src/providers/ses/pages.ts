/** Pages of lists: the token of the next page is the number of values before it. */
import { fieldOf } from "../formats/form.ts";
import type { ProviderRequest } from "../provider.ts";
import { rejection } from "./errors.ts";

/** Page of a list. */
export interface Page<Value> {
  readonly values: readonly Value[];
  /** Null on the last page. */
  readonly nextToken: string | null;
}

/** Position of a page, from a request. */
export interface PageRequest {
  readonly token: string | null;
  /** Null: the largest page. */
  readonly size: string | number | null;
  readonly sizeMax: number;
}

/** Largest page of identities and of configuration sets; one less than a list has, so that a further page is noticed. */
export const pageSizeMax = 999;

const tokenPrefix = "page-";

/**
 * Returns a page. `list` returns at most 1000 values after skipping the given number. Throws `invalid` for a token or size
 * that Amazon SES would reject.
 */
export async function pageOf<Value>(
  { token, size, sizeMax }: PageRequest,
  list: (offset: number) => Promise<readonly Value[]>,
): Promise<Page<Value>> {
  const offset = token === null || token === "" ? 0 : offsetOf(token);
  const count = size === null || size === "" ? sizeMax : Number(size);
  if (!Number.isSafeInteger(count) || count < 0) throw rejection("invalid", "Invalid page size.");
  const shown = count === 0 ? sizeMax : Math.min(count, sizeMax);
  const values = await list(offset);
  const nextToken = values.length > shown ? tokenOf(offset + shown) : null;
  return { values: values.slice(0, shown), nextToken };
}

function tokenOf(offset: number): string {
  return Buffer.from(`${tokenPrefix}${String(offset)}`).toString("base64url");
}

function offsetOf(token: string): number {
  const digits = /^page-(\d{1,7})$/.exec(Buffer.from(token, "base64url").toString("latin1"))?.[1];
  if (digits === undefined) throw rejection("invalid", "Invalid NextToken.");
  return Number(digits);
}

/** Returns the page that a query string asks for. */
export function queryPage({ fields }: Pick<ProviderRequest, "fields">, sizeMax: number): PageRequest {
  return { token: fieldOf(fields, "NextToken") ?? null, size: fieldOf(fields, "PageSize") ?? null, sizeMax };
}
