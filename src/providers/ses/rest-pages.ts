import { fieldOf } from "../formats/form.ts";
import type { ProviderRequest } from "../provider.ts";
import type { PageRequest } from "./pages.ts";

/** Returns the page that a query string asks for. */
export function queryPage({ fields }: Pick<ProviderRequest, "fields">, sizeMax: number): PageRequest {
  return { token: fieldOf(fields, "NextToken") ?? null, size: fieldOf(fields, "PageSize") ?? null, sizeMax };
}
