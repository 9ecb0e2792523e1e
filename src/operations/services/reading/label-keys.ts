import type { LabelKeys } from "../../../core/criteria.ts";
import { defaultLimits } from "../../../core/limits.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { ProviderOrigin } from "../../../core/message.ts";

/** Tags that searches find; providers allow fewer. */
const tagCountMax = 100;

/**
 * Returns the search keys of the provider's facts; none without a provider. Labels that no search can name are left out.
 * The UUID under which a mail was scheduled finds it too.
 */
export function labelKeys(provider: ProviderOrigin | null | undefined, submittedAs?: MessageId): LabelKeys {
  if (provider === null || provider === undefined) return {};
  const tags = [...new Set(provider.tags.filter(isSearchable))].slice(0, tagCountMax);
  return { providerId: [provider.id, submittedAs ?? ""].filter(isSearchable), tag: tags, provider: [provider.name] };
}

function isSearchable(label: string): boolean {
  return label !== "" && label.length <= defaultLimits.searchTextLengthMax && !label.includes("\0");
}
