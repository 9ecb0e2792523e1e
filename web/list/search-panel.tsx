import { clsx } from "clsx";
import { Bookmark, SlidersHorizontal } from "lucide-react";
import { Suspense, useState, type ReactElement, type RefObject } from "react";
import { usePermissions } from "../api/permissions.ts";
import { useKnownTags } from "../api/known-tags.ts";
import { Link } from "../navigation/location.tsx";
import {
  activeCriteria,
  allReceived,
  allServersAddress,
  isFiltered,
  withCriterion,
  type MailQuery,
} from "../navigation/mail-query.ts";
import { operatorOf } from "../navigation/query-text.ts";
import { Button, buttonClass } from "../shared/button.tsx";
import { Chip } from "../shared/chip.tsx";
import fieldStyles from "../shared/field.module.css";
import { addressOf } from "../shared/format.ts";
import { IconButton } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import { lazyComponent } from "../shared/lazy-component.ts";
import { strings } from "../strings.ts";
import styles from "./list.module.css";
import { SearchBox } from "./search-box.tsx";
import type { KnownValues } from "./suggest-terms.ts";
import type { MessageList } from "./use-message-list.ts";
import { useSearchDraft, type LiveDraft, type OnSearch } from "./use-search-draft.ts";

const SavedSearchesDialog = lazyComponent(
  async () => (await import("./saved-searches-dialog.tsx")).SavedSearchesDialog,
);

interface SearchPanelProps {
  readonly server: string;
  readonly query: MailQuery;
  readonly onSearch: OnSearch;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly list: Pick<MessageList, "at" | "count">;
}

/** Search box, filters, and the operators and criteria of the search as chips. */
export function SearchPanel(props: SearchPanelProps): ReactElement {
  const { server, query, onSearch, inputRef, list } = props;
  const [isOpen, setOpen] = useState(query.receivedAfter !== "");
  const [isSavedOpen, setSavedOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  const draft = useSearchDraft(query, onSearch);
  const known = { tags: useKnownTags(server, isUsed), ...useSeenContacts(server, list) };
  const openSaved = (): void => {
    setSavedOpen(true);
  };
  return (
    <div className={styles.search} role="search">
      <div className={layout.row}>
        <div className={styles.searchBoxCell}>
          <SearchBox
            draft={draft}
            known={known}
            inputRef={inputRef}
            onFocus={() => {
              setUsed(true);
            }}
          />
        </div>
        <IconButton name={strings.list.saved.title} icon={Bookmark} aria-haspopup="dialog" onClick={openSaved} />
        <IconButton
          name={strings.list.filters}
          icon={SlidersHorizontal}
          aria-pressed={isOpen}
          onClick={() => {
            setOpen(!isOpen);
          }}
        />
      </div>
      {isOpen && <Filters query={query} onSearch={onSearch} />}
      {isFiltered(query) && (
        <div className={clsx(layout.row, layout.wrap)}>
          <Chips query={query} onSearch={onSearch} draft={draft} />
          <SearchActions server={server} query={query} onSearch={onSearch} onSave={openSaved} />
        </div>
      )}
      {isSavedOpen && (
        <Suspense>
          <SavedSearchesDialog
            server={server}
            q={query.q}
            onOpen={(q) => {
              setSavedOpen(false);
              onSearch({ ...query, q });
            }}
            onClose={() => {
              setSavedOpen(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Links and buttons beside the chips: all servers, save, clear. */
function SearchActions(
  props: Pick<SearchPanelProps, "server" | "query" | "onSearch"> & { readonly onSave: () => void },
): ReactElement {
  const { server, query, onSearch, onSave } = props;
  const { isAccount, canManage } = usePermissions();
  return (
    <span className={clsx(layout.row, layout.wrap, layout.push)}>
      {isAccount && query.q !== "" && (
        <Link className={buttonClass("quiet")} href={allServersAddress(query, server)}>
          {strings.list.allServers}
        </Link>
      )}
      {canManage && query.q !== "" && (
        <Button variant="quiet" aria-haspopup="dialog" onClick={onSave}>
          {strings.list.saved.save}
        </Button>
      )}
      <Button
        variant="quiet"
        onClick={() => {
          onSearch(allReceived);
        }}
      >
        {strings.list.clear}
      </Button>
    </span>
  );
}

type FilterProps = Pick<SearchPanelProps, "query" | "onSearch">;

function Filters({ query, onSearch }: FilterProps): ReactElement {
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      <label className={layout.row}>
        <span className={layout.faint}>{strings.list.after}</span>
        <input
          type="datetime-local"
          step={1}
          className={fieldStyles.input}
          aria-label={strings.list.after}
          value={toLocal(query.receivedAfter)}
          onChange={(event) => {
            onSearch({ ...query, receivedAfter: fromLocal(event.target.value) });
          }}
        />
      </label>
    </div>
  );
}

function Chips({ query, onSearch, draft }: FilterProps & { readonly draft: LiveDraft }): ReactElement {
  const given = activeCriteria(query);
  return (
    <>
      {draft.chips.map((term, at) => {
        const operator = operatorOf(term);
        const name = operator === null ? "" : `${operator.isNegated ? "-" : ""}${operator.operator}`;
        return (
          <Chip
            // oxlint-disable-next-line react/no-array-index-key -- terms can repeat
            key={`${at} ${term}`}
            label={name}
            text={operator?.value ?? term}
            name={term}
            onRemove={() => {
              draft.removeChip(at);
            }}
          />
        );
      })}
      {given.map(([name, text]) => (
        <Chip
          key={name}
          label={strings.list.criteria[name]}
          text={text}
          name={strings.list.criteria[name]}
          onRemove={() => {
            onSearch(withCriterion(query, name, ""));
          }}
        />
      ))}
      {given.length > 1 && <MatchSwitch query={query} onSearch={onSearch} />}
    </>
  );
}

function MatchSwitch({ query, onSearch }: FilterProps): ReactElement {
  const isAny = query.criteria.match === "ANY";
  return (
    <div className={fieldStyles.segments} role="group" aria-label={strings.list.match}>
      {(["ALL", "ANY"] as const).map((match) => (
        <button
          key={match}
          type="button"
          className={fieldStyles.segment}
          aria-pressed={(match === "ANY") === isAny}
          onClick={() => {
            onSearch({ ...query, criteria: { ...query.criteria, match } });
          }}
        >
          {match === "ANY" ? strings.list.matchAny : strings.list.matchAll}
        </button>
      ))}
    </div>
  );
}

/** Returns an instant as the value of a `datetime-local` input: local time to the second; "" for none. */
function toLocal(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function fromLocal(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString();
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
function useSeenContacts(server: string, list: Pick<MessageList, "at" | "count">): Contacts {
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

function contactsOf({ at, count }: Pick<MessageList, "at" | "count">): Contacts {
  const [senders, recipients] = [new Set<string>(), new Set<string>()];
  for (let row = 0; row < Math.min(count, readRowCount); row += 1) {
    const message = at(row);
    for (const contact of message?.from ?? []) senders.add(addressOf(contact));
    for (const contact of [message?.to ?? [], message?.cc ?? []].flat()) recipients.add(addressOf(contact));
  }
  return { senders: [...senders], recipients: [...recipients] };
}
