/** Requests of pages that a link scanner renders, and their responses, between the browser and the client that sends them. */

/** Request that a rendered page makes. */
export interface PageRequest {
  /** Number of the visit, by which requests of an earlier page are recognised. */
  readonly visit: number;
  readonly method: string;
  readonly url: string;
  /** Header fields of the browser, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Value of the Cookie field; empty without cookies. */
  readonly cookies: string;
  /** Kind of the resource, such as `document`, `script` or `fetch`. */
  readonly resource: string;
  /** Origin of the page in the address bar; null before the first page. */
  readonly pageOrigin: string | null;
  /** Origin of the frame that makes the request; null when it has none of its own. */
  readonly frameOrigin: string | null;
  /** Reason for which the browser refuses the request, which is reported and never sent; null for all others. */
  readonly refusal: string | null;
}

/** Response to a {@link PageRequest}. */
export interface PageResponse {
  readonly status: number;
  /** Name and value of each field; names may repeat. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** Absolute URL to which the response redirects a document; null for other responses. */
  readonly redirect: string | null;
}

/** Sends the requests of a page; null for those that are refused or fail. Never rejects. */
export type PageFetch = (request: PageRequest) => Promise<PageResponse | null>;

/** Visit of a page with scripts. */
export interface RequestedVisit {
  /** Visits of different keys take turns. */
  readonly key: string;
  readonly url: string;
  readonly userAgent: string;
  /** Ends the visit. */
  readonly signal: AbortSignal;
  /** Sends every request of the page. */
  readonly fetch: PageFetch;
}

/** Visits a page; resolves with the reason for which it was not rendered to its end, null otherwise. Never rejects. */
export type RenderPage = (visit: RequestedVisit) => Promise<string | null>;
