import { useState, type ReactElement, type RefObject } from "react";
import { useKnownTags } from "../api/known-tags.ts";
import { liveQuery } from "../navigation/query-text.ts";
import { addressOf } from "../shared/format.ts";
import { isFilterTerm } from "./filter-terms.ts";
import styles from "./list.module.css";
import { keepSearch, recentSearches } from "./recent-searches.ts";
import { SearchBox } from "./search-box.tsx";
import type { KnownValues } from "./suggest-terms.ts";
import type { MessageList } from "./use-message-list.ts";
import type { LiveDraft } from "./use-search-draft.ts";

type Rows = Pick<MessageList, "at" | "count">;

/** Search box with the values that are known on the server, and the searches before. */
export function KnownSearchBox(props: {
  readonly server: string;
  readonly list: Rows;
  readonly draft: LiveDraft;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}): ReactElement {
  const { server, list, inputRef, draft } = props;
  const [isUsed, setUsed] = useState(false);
  const recent = isUsed ? recentSearches(server) : [];
  const known = { tags: useKnownTags(server, isUsed), recent, ...useSeenContacts(server, list) };
  return (
    <div className={styles.searchBoxCell}>
      <SearchBox
        draft={draft}
        known={known}
        inputRef={inputRef}
        onFocus={() => {
          setUsed(true);
        }}
        onBlur={() => {
          if (!draft.chips.every(isFilterTerm) || draft.text !== "") keepSearch(server, liveQuery(draft));
        }}
      />
    </div>
  );
}

/** Senders and recipients of messages. */
type Contacts = Pick<KnownValues, "senders" | "recipients">;

/** Rows whose contacts are read. */
const readRowCount = 200;
/** Addresses of each kind that are kept. */
const keptCountMax = 1000;

/**
 * Returns the addresses in the first rows of the list of a server and in those that it showed before, in the order in which
 * they were seen: suggestions stay where they are while a search replaces the rows. The first `keptCountMax` senders and
 * recipients are kept; those of the present rows are always included.
 */
function useSeenContacts(server: string, list: Rows): Contacts {
  const [kept, setKept] = useState<Contacts & { readonly server: string }>({ server, senders: [], recipients: [] });
  const before = kept.server === server ? kept : { senders: [], recipients: [] };
  const present = contactsOf(list);
  const senders = [...new Set([...before.senders, ...present.senders])];
  const recipients = [...new Set([...before.recipients, ...present.recipients])];
  const hasMore = (all: readonly string[], some: readonly string[]): boolean =>
    Math.min(all.length, keptCountMax) > some.length;
  if (kept.server !== server || hasMore(senders, kept.senders) || hasMore(recipients, kept.recipients)) {
    setKept({ server, senders: senders.slice(0, keptCountMax), recipients: recipients.slice(0, keptCountMax) });
  }
  return { senders, recipients };
}

function contactsOf({ at, count }: Rows): Contacts {
  const [senders, recipients] = [new Set<string>(), new Set<string>()];
  for (let row = 0; row < Math.min(count, readRowCount); row += 1) {
    const message = at(row);
    for (const contact of message?.from ?? []) senders.add(addressOf(contact));
    for (const contact of [message?.to ?? [], message?.cc ?? []].flat()) recipients.add(addressOf(contact));
  }
  return { senders: [...senders], recipients: [...recipients] };
}
