/** Messages between the service and the process that drives the browser of link scanners. */
import type { PageRequest, PageResponse } from "../core/page-request.ts";
import type { FoundBrowser } from "./find-browser.ts";

/** Settings of the process. */
export interface VisitWorkerSettings {
  readonly browser: Exclude<FoundBrowser, { kind: "none" }>;
  /** Folder that packages are unpacked to. */
  readonly folder: string;
  /** Memory of the browser's processes at which the browser is killed. */
  readonly memoryBytesMax: number;
}

/** Visit of one URL. */
export interface PageVisit {
  readonly visit: number;
  readonly url: string;
  readonly userAgent: string;
  /** Longest time of the visit in milliseconds. */
  readonly msMax: number;
}

/** Message of the process besides those of the RPC: a request of the page. */
export interface PageRequested {
  readonly kind: "page-request";
  readonly number: number;
  readonly request: PageRequest;
}

/** Message to the process besides those of the RPC: a response to a request of the page, or the end of a visit. */
export type VisitMessage =
  | { readonly kind: "page-response"; readonly number: number; readonly response: PageResponse | null }
  | { readonly kind: "end-visit"; readonly visit: number };
