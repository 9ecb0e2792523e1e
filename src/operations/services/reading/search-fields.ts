import type { LabelKeys } from "../../../core/criteria.ts";
import { withOtherDomains } from "../../../core/fold.ts";
import { fieldsNamed } from "../../../core/tagging.ts";
import type { MessageId } from "../../../core/ids.ts";
import { defaultLimits } from "../../../core/limits.ts";
import type { ProviderOrigin } from "../../../core/message.ts";
import { contactValue, foldPart, type SearchFields } from "../../../core/search/search-fields.ts";
import type { AttachmentDescription, EmailContent } from "./email-bodies.ts";

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

/** Content of a message from which {@link searchFieldsOf} derives its search fields. */
interface SearchedContent extends Pick<EmailContent, "from" | "to" | "cc" | "bcc" | "headers" | "codes"> {
  readonly attachments: readonly Pick<AttachmentDescription, "fileName" | "isInline">[];
  readonly provider?: ProviderOrigin | null | undefined;
}

/** Returns the parts of a message that searches compare beside subject and body. */
export function searchFieldsOf(content: SearchedContent): SearchFields {
  const { from, to, cc, bcc, headers, attachments, codes, provider } = content;
  const valuesOf = (name: string): readonly string[] => fieldsNamed(headers, name).map(({ value }) => foldPart(value));
  const names = (isInline: boolean): readonly string[] =>
    attachments.filter((one) => one.isInline === isInline).map(({ fileName }) => foldPart(fileName));
  return {
    from: from.map(contactValue),
    to: to.map(contactValue),
    cc: cc.map(contactValue),
    bcc: bcc.map(contactValue),
    replyTo: valuesOf("reply-to").map(withOtherDomains),
    messageId: valuesOf("message-id"),
    attachment: names(false),
    inline: names(true),
    tag: (labelKeys(provider).tag ?? []).map(foldPart),
    // Also as it is typed without its hyphen.
    code:
      codes.length === 0 ? [] : [...new Set(codes.map(foldPart).flatMap((code) => [code, code.replaceAll("-", "")]))],
  };
}
