/** A text as any provider's door reads it, before anybody asks which server it is for. */
export interface InboundText {
  /** As the provider wrote it, in E.164 where it is a number. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** The provider's id of the message; null when it gave none. */
  readonly providerId: string | null;
}

/** Bound of one text, in UTF-16 units: that of Twilio's send API, which is the smallest. */
export const textLengthMax = 1600;

const urlLengthMax = 4000;

/** Whether a text is an http or https URL of at most 4000 characters, as callbacks have to be. */
export function isWebUrl(text: string): boolean {
  return text.length <= urlLengthMax && /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
