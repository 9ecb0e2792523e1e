/** Request of a URL; resolves to null when it responds, else to a sentence about the failure for the reader of a report. */
export type LinkProbe = (url: string) => Promise<string | null>;
