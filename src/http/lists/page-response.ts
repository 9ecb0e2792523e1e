import type { Page } from "../../core/criteria.ts";
import { type HttpResponse, jsonType } from "../http-response.ts";
import type { Call, Success } from "../route.ts";
import { joinItems } from "../wire/message-json.ts";
import { summarySchema } from "../../core/message.ts";
import { nextPageUrl } from "../wire/page-query.ts";
import { listOf } from "../../core/schema.ts";

/** A page of summaries as operations return it. */
export interface SummaryPageBytes {
  readonly json: Uint8Array;
  readonly hasMore: boolean;
  readonly total: number | null;
  readonly cursor: number;
}

/**
 * Returns 200 with a page of summaries: `Link` to the next page, if any (RFC 8288), `X-Total-Count` if the number is
 * known, and the server's last sequence number in `X-Cursor`.
 */
export function pageResponse(call: Call, page: Page, found: SummaryPageBytes): HttpResponse {
  const headers = listHeaders();
  headers["x-cursor"] = String(found.cursor);
  if (found.total !== null) headers["x-total-count"] = String(found.total);
  if (found.hasMore) headers["link"] = `<${nextPageUrl(call.path, call.query, page)}>; rel="next"`;
  return { status: 200, headers, body: call.encodeList(found.json, call.headers["user-agent"]) };
}

/** Header fields of pages of summaries, for the OpenAPI document. */
export const pageHeaders: Readonly<Record<"link" | "x-total-count", string>> = {
  link: 'URL of the next page with `rel="next"` (RFC 8288), where there is one.',
  "x-total-count": "How many messages there are over all pages, where that is known without counting.",
};

/** Success of routes that return {@link pageResponse}, for the OpenAPI document. */
export const pageSuccess: Success = {
  status: 200,
  description: "One page of summaries, newest first.",
  schema: listOf(summarySchema),
  headers: {
    ...pageHeaders,
    "x-cursor": "The server's last change that this response shows; give it back as `after` for what comes after.",
  },
};

/** Returns 200 with a complete list of few items. */
export function listResponse(call: Call, items: readonly unknown[]): HttpResponse {
  return {
    status: 200,
    headers: listHeaders(),
    body: call.encodeList(joinItems(items), call.headers["user-agent"]),
  };
}

/** Members of the success of a {@link linkedListResponse} beside its schema. */
export const nextPageSuccess: Partial<Success> = { headers: { link: pageHeaders.link } };

/** Returns 200 with a page of a list, and `Link` to the next page (RFC 8288), false for none. */
export function linkedListResponse(call: Call, items: readonly unknown[], next: string | false): HttpResponse {
  const response = listResponse(call, items);
  return next === false ? response : { ...response, headers: { ...response.headers, link: `<${next}>; rel="next"` } };
}

function listHeaders(): Record<string, string> {
  return { "content-type": jsonType, vary: "user-agent" };
}
