import { Problem } from "../../core/errors.ts";
import type { ProviderServices } from "../../providers/provider.ts";

/** Implements `renderTemplates` of the contract of providers. */
export const renderTemplates: ProviderServices["renderTemplates"] = async () => {
  throw new Problem("unavailable");
};
