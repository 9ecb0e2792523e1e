import type { ProviderRequest } from "../provider.ts";

/** Returns the URL of the service up to the path of the provider's API, as the caller knows it; without a slash at its end. */
export function urlBeforePath({ url, path }: Pick<ProviderRequest, "url" | "path">): string {
  const [address = ""] = url.split("?");
  return address.endsWith(path) ? address.slice(0, address.length - path.length) : new URL(url).origin;
}
