/** Snapshots of messages: texts that are equal for two sendings of the same message. */
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Options of snapshots. */
export interface SnapshotOptions extends RequestOptions {
  /**
   * Values that differ from one sending to the next, by the name that stands for them, besides codes, ids, tokens, dates,
   * recipients and ports, which are masked anyway.
   */
  readonly mask?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Names of further header fields to show. */
  readonly headers?: readonly string[] | undefined;
}

/** Describes a message as a text that is equal for two sendings of the same message. */
export async function fetchSnapshot(
  transport: Transport,
  id: string,
  { mask = {}, headers = [], ...options }: SnapshotOptions = {},
): Promise<string> {
  const body = { mask: maskOf(mask), headers: [...headers] };
  return transport.call("snapshotMessage", { path: { id }, body }, options);
}

/** Returns the values to mask as requests have them. */
export function maskOf(mask: NonNullable<SnapshotOptions["mask"]>): { name: string; value: string }[] {
  return Object.entries(mask).flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: one })));
}
