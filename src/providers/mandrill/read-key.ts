import { readJsonObject } from "../formats/json-body.ts";
import type { ProviderRequest } from "../provider.ts";
import { errors } from "./errors.ts";

/** Returns the API key of a request, a member of its body; throws a rejection without one. */
export function readKey({ body }: Pick<ProviderRequest, "body">): string {
  const { key } = readJsonObject(body) ?? {};
  if (typeof key !== "string" || key === "") throw errors.missing("key");
  return key;
}
