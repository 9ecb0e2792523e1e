import { Search } from "lucide-react";
import { useId, useState, type KeyboardEvent, type ReactElement, type RefObject } from "react";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import styles from "./list.module.css";
import { suggestTerms, type KnownValues, type TermSuggestion } from "./suggest-terms.ts";
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
