import { clsx } from "clsx";
import { SlidersHorizontal, X } from "lucide-react";
import { useState, type ReactElement, type RefObject } from "react";
import {
  activeCriteria,
  allReceived,
  isFiltered,
  termsOf,
  withCriterion,
  withoutTerm,
  type MailQuery,
} from "../navigation/mail-query.ts";
import chipStyles from "../shared/chip.module.css";
import fieldStyles from "../shared/field.module.css";
import { IconButton } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import styles from "./list.module.css";
import { SearchBox } from "./search-box.tsx";

interface SearchPanelProps {
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

/** Search box, filters, and the active criteria as chips. */
export function SearchPanel({ query, onSearch, inputRef }: SearchPanelProps): ReactElement {
  const [isOpen, setOpen] = useState(query.receivedAfter !== "");
  return (
    <div className={styles.search} role="search">
      <div className={layout.row}>
        <div className={styles.searchBoxCell}>
          <SearchBox query={query} onSearch={onSearch} inputRef={inputRef} />
        </div>
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
      <Chips query={query} onSearch={onSearch} />
    </div>
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

function Chips({ query, onSearch }: FilterProps): ReactElement | null {
  const given = activeCriteria(query);
  if (!isFiltered(query)) return null;
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      {termsOf(query.q).map((term, at) => (
        <Chip
          // oxlint-disable-next-line react/no-array-index-key -- terms can repeat
          key={`${at} ${term}`}
          text={term}
          name={term}
          onRemove={() => {
            onSearch(withoutTerm(query, at));
          }}
        />
      ))}
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
      <button
        type="button"
        className={clsx(fieldStyles.segment, layout.push)}
        onClick={() => {
          onSearch(allReceived);
        }}
      >
        {strings.list.clear}
      </button>
    </div>
  );
}

function Chip(props: {
  readonly label?: string;
  readonly text: string;
  /** Accessible name of what the button removes. */
  readonly name: string;
  readonly onRemove: () => void;
}): ReactElement {
  const { label, text, name, onRemove } = props;
  return (
    <span className={chipStyles.chip}>
      {label !== undefined && <b>{label}</b>}
      <span className={layout.clip}>{text}</span>
      <button type="button" aria-label={strings.list.remove(name)} onClick={onRemove}>
        <X size={13} aria-hidden />
      </button>
    </span>
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
