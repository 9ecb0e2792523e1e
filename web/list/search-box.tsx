import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactElement, type RefObject, useId, useState } from "react";
import { useKnownTags } from "../api/marks.ts";
import { liveQuery } from "../navigation/query-text.ts";
import { addressOf } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { storedText, storeText } from "../shared/stored-text.ts";
import { strings } from "../strings.ts";
import { isFilterTerm } from "./filter-terms.ts";
import styles from "./list.module.css";
import { type KnownValues, suggestTerms, type TermSuggestion } from "./suggest-terms.ts";
import type { MessageList } from "./use-message-list.ts";
import type { LiveDraft } from "./use-search-draft.ts";

/**
 * Search input that searches as one types, with suggestions of operators and values: the arrow keys select one, Enter takes it;
 * Escape closes the suggestions, then clears the text, then leaves the box.
 */
export function SearchBox(props: {
  readonly draft: LiveDraft;
  readonly known: KnownValues;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  /** Called when the box gets the focus. */
  readonly onFocus?: () => void;
  /** Called when the box loses the focus. */
  readonly onBlur?: () => void;
}): ReactElement {
  const { draft, known, inputRef, onFocus, onBlur } = props;
  const { text } = draft;
  const listId = useId();
  const { suggestions, active, show, choose, onKeyDown } = useSuggestions(draft, known);
  const activeId = active >= 0 ? `${listId}-${active.toString()}` : undefined;
  return (
    <div className={styles.searchBox}>
      <Search size={15} className={layout.faint} aria-hidden />
      <input
        ref={inputRef}
        role="combobox"
        aria-label={strings.list.search}
        aria-autocomplete="list"
        aria-expanded={suggestions.length > 0}
        aria-controls={listId}
        aria-activedescendant={suggestions.length > 0 ? activeId : undefined}
        placeholder={strings.list.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          draft.type(event.target.value);
          show(/\S$/.test(event.target.value));
        }}
        onKeyDown={onKeyDown}
        onFocus={() => {
          onFocus?.();
          if (text === "") show(true);
        }}
        onBlur={() => {
          show(false);
          onBlur?.();
        }}
      />
      {text === "" && <kbd aria-hidden>/</kbd>}
      <Suggestions id={listId} suggestions={suggestions} active={active} onChoose={choose} />
    </div>
  );
}

/** State of the suggestions; `active` is -1 while none is selected. */
interface SuggestionState {
  readonly suggestions: readonly TermSuggestion[];
  readonly active: number;
  readonly show: (isShown: boolean) => void;
  readonly choose: (suggestion: TermSuggestion) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
}

function useSuggestions(draft: LiveDraft, known: KnownValues): SuggestionState {
  const { text, chips } = draft;
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = isOpen ? suggestTerms(text, known) : [];
  const show = (isShown: boolean): void => {
    setOpen(isShown);
    setActive(-1);
  };
  const choose = ({ text: chosen, isComplete }: TermSuggestion): void => {
    if (isComplete) draft.commit(chosen);
    else draft.type(chosen);
    show(!isComplete);
  };
  const onEnter = (): void => {
    const chosen = suggestions[active];
    if (chosen !== undefined) {
      choose(chosen);
      return;
    }
    draft.commit();
    show(false);
  };
  const onEscape = (input: HTMLInputElement): void => {
    // Suggestions can be open while there are none; an empty text would show them all.
    show(false);
    if (suggestions.length > 0) return;
    if (text === "") input.blur();
    else draft.commit("");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const step = stepOf(event.key);
    if (event.key === "Enter") onEnter();
    else if (event.key === "Escape") onEscape(event.currentTarget);
    else if (event.key === "Backspace" && text === "" && chips.length > 0) draft.removeChip(chips.length - 1);
    else if (step !== 0) {
      event.preventDefault();
      if (isOpen) setActive(nextActive(active, step, suggestions.length));
      else show(true);
    }
  };
  return { suggestions, active, show, choose, onKeyDown };
}

function Suggestions(props: {
  readonly id: string;
  readonly suggestions: readonly TermSuggestion[];
  readonly active: number;
  readonly onChoose: (suggestion: TermSuggestion) => void;
}): ReactElement {
  const { id, suggestions, active, onChoose } = props;
  return (
    <div
      id={id}
      role="listbox"
      aria-label={strings.list.suggestions}
      className={styles.suggestions}
      hidden={suggestions.length === 0}
    >
      {suggestions.map((suggestion, at) => (
        <div
          key={suggestion.term}
          id={`${id}-${at.toString()}`}
          role="option"
          className={styles.suggestion}
          aria-selected={at === active}
          data-highlighted={at === active ? "" : undefined}
          // The click would come after the box has lost the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(suggestion);
          }}
        >
          <code className={layout.clip}>{suggestion.term}</code>
          <span className={layout.faint}>{suggestion.meaning}</span>
        </div>
      ))}
    </div>
  );
}

/** Returns the option after a step; between the last one and the first one, none is active. */
function nextActive(active: number, step: number, count: number): number {
  return ((active + 1 + step + count + 1) % (count + 1)) - 1;
}

function stepOf(key: string): number {
  return key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
}

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
        onFocus={() => setUsed(true)}
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

/** Searches that are kept for a server. */
const recentCountMax = 4;
/** UTF-16 code units; longer searches are not kept. */
const recentLengthMax = 200;
const storageKey = (server: string): string => `restante-searches-${server}`;

/** Returns the searches of a server, last one first; none where the browser stores nothing. */
function recentSearches(server: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(storedText(storageKey(server)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string").slice(0, recentCountMax) : [];
  } catch {
    // Another page wrote into the storage.
    return [];
  }
}

/** Keeps a search as the last one. */
function keepSearch(server: string, q: string): void {
  if (q === "" || q.length > recentLengthMax) return;
  const kept = [q, ...recentSearches(server).filter((one) => one !== q)].slice(0, recentCountMax);
  storeText(storageKey(server), JSON.stringify(kept));
}
