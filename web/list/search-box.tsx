import { Search } from "lucide-react";
import { useId, useState, type KeyboardEvent, type ReactElement, type RefObject } from "react";
import { operatorTerm, withTerms, type MailQuery } from "../navigation/mail-query.ts";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import styles from "./list.module.css";

interface Suggestion {
  readonly label: string;
  readonly query: MailQuery;
}

const operators = ["from", "to", "subject", "body", "filename", "tag"] as const;

/** Search input with suggestions: Enter takes the most likely one, the arrow keys select others. */
export function SearchBox(props: {
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}): ReactElement {
  const { query, onSearch, inputRef } = props;
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const listId = useId();
  const suggestions = suggest(query, text.trim());
  const choose = (suggestion: Suggestion | undefined): void => {
    if (suggestion === undefined) return;
    onSearch(suggestion.query);
    setText("");
    setActive(0);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const step = stepOf(event.key);
    if (event.key === "Enter") choose(suggestions[active]);
    else if (event.key === "Escape") {
      if (text === "") event.currentTarget.blur();
      setText("");
    } else if (step !== 0 && suggestions.length > 0) {
      event.preventDefault();
      setActive((active + step + suggestions.length) % suggestions.length);
    }
  };
  return (
    <div className={styles.searchBox}>
      <Search size={15} className={layout.faint} aria-hidden />
      <input
        ref={inputRef}
        role="combobox"
        aria-label={strings.list.search}
        aria-expanded={suggestions.length > 0}
        aria-controls={listId}
        aria-activedescendant={suggestions.length > 0 ? `${listId}-${active.toString()}` : undefined}
        placeholder={strings.list.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setText("");
        }}
      />
      {text === "" && <kbd aria-hidden>/</kbd>}
      <Suggestions id={listId} suggestions={suggestions} text={text.trim()} active={active} onChoose={choose} />
    </div>
  );
}

function Suggestions(props: {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly text: string;
  readonly active: number;
  readonly onChoose: (suggestion: Suggestion) => void;
}): ReactElement {
  const { id, suggestions, text, active, onChoose } = props;
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
          key={suggestion.label}
          id={`${id}-${at.toString()}`}
          role="option"
          className={styles.suggestion}
          aria-selected={at === active}
          // The click would come after the box has lost the focus, and with it its text.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(suggestion);
          }}
        >
          <span className={layout.faint}>{suggestion.label}</span>
          <span className={layout.clip}>{text}</span>
        </div>
      ))}
    </div>
  );
}

function suggest(query: MailQuery, text: string): readonly Suggestion[] {
  if (text === "") return [];
  const { suggest: labels } = strings.list;
  return [
    { label: labels.anywhere, query: withTerms(query, text) },
    ...operators.map((name) => ({ label: labels[name], query: withTerms(query, operatorTerm(name, text)) })),
  ];
}

function stepOf(key: string): number {
  return key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
}
