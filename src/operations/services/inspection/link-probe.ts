/** Response of a link. */
export interface LinkResponse {
  /** Status after redirects; null when there was no response. */
  readonly status: number | null;
  /** Sentence about the failure for the reader of a report; null when the link responds. */
  readonly problem: string | null;
}

/** Request of a URL. Never rejects. */
export type LinkProbe = (url: string) => Promise<LinkResponse>;
