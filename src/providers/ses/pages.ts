/** Pages of lists: the token of the next page is the number of values before it. */
import { textAt } from "../formats/aws-members.ts";
import type { CollectedObject, Collection } from "../kit/objects.ts";
import type { SesCall } from "./protocols.ts";
import { rejection } from "./errors.ts";

/** Page of a list. */
export interface Page<Value> {
  readonly objects: readonly CollectedObject<Value>[];
  /** Undefined on the last page. */
  readonly NextToken: string | undefined;
}

/** Largest page of identities and of configuration sets; one less than a list has, so that a further page is noticed. */
const pageSizeMax = 999;

/** Returns the page that a request names. Throws `invalid` for a token or size that Amazon SES would reject. */
export async function pageOf<Value>(
  call: Pick<SesCall, "request" | "isRest">,
  collection: Collection<Value>,
  sizeMax = pageSizeMax,
): Promise<Page<Value>> {
  const size = sizeOf(call);
  const token = textAt(call.request, "NextToken");
  const offset = token === null || token === "" ? 0 : offsetOf(token);
  if (size !== null && (!Number.isSafeInteger(size) || size < 0)) throw rejection("invalid", "Invalid page size.");
  const shown = Math.min(size || sizeMax, sizeMax);
  const objects = await collection.page(offset);
  return { objects: objects.slice(0, shown), NextToken: objects.length > shown ? tokenOf(offset + shown) : undefined };
}

/** Returns the wanted number of values, a text in version 1; null or 0 for the largest page. */
function sizeOf({ request, isRest }: Pick<SesCall, "request" | "isRest">): number | null {
  if (!isRest) return Number(textAt(request, "MaxItems") ?? "");
  const size = request["PageSize"] ?? null;
  if (size !== null && typeof size !== "number") throw rejection("malformed");
  return size;
}

function tokenOf(offset: number): string {
  return Buffer.from(`page-${String(offset)}`).toString("base64url");
}

function offsetOf(token: string): number {
  const digits = /^page-(\d{1,7})$/.exec(Buffer.from(token, "base64url").toString("latin1"))?.[1];
  if (digits === undefined) throw rejection("invalid", "Invalid NextToken.");
  return Number(digits);
}
