/** Message as Vonage's SMS API represents it. */
export interface VonageMessage {
  readonly id: string;
  readonly apiKey: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Reference of the application; null without one. */
  readonly clientRef: string | null;
}

/** Returns a number in E.164, which Vonage writes without `+`; names and short codes are returned unchanged. */
export function withPlus(text: string): string {
  return /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}

/** Returns a number as Vonage writes it. */
export function withoutPlus(number: string): string {
  return number.replace(/^\+/, "");
}

/** Returns `2026-11-20 10:42:07`, in UTC, for milliseconds since the Unix epoch. */
export function timestampOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}
