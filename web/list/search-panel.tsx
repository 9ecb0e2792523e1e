import { SlidersHorizontal, X } from "lucide-react";
import { useState, type ReactElement, type RefObject } from "react";
import { allReceived, activeCriteria, isFiltered, withCriterion, type MailQuery } from "../navigation/mail-query.ts";
import { strings } from "../strings.ts";
import { SearchBox } from "./search-box.tsx";

interface SearchPanelProps {
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

/** The search box, what is searched for as chips, and the filters that the interface has. */
export function SearchPanel({ query, onSearch, inputRef }: SearchPanelProps): ReactElement {
  const isFiltered = query.receivedAfter !== "" || query.direction === "Sent";
  const [isOpen, setOpen] = useState(isFiltered);
  return (
    <div className="search" role="search">
      <div className="row">
        <div style={{ flex: 1, minWidth: 0 }}>
          <SearchBox query={query} onSearch={onSearch} inputRef={inputRef} />
        </div>
        <button
          type="button"
          className="icon-button"
          aria-label={strings.list.filters}
          title={strings.list.filters}
          aria-pressed={isOpen}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          <SlidersHorizontal size={15} aria-hidden />
        </button>
      </div>
      {isOpen && <Filters query={query} onSearch={onSearch} />}
      <Chips query={query} onSearch={onSearch} />
    </div>
  );
}

type FilterProps = Pick<SearchPanelProps, "query" | "onSearch">;

function Filters({ query, onSearch }: FilterProps): ReactElement {
  return (
    <div className="row wrap">
      <div className="segments" role="group" aria-label={strings.list.direction}>
        {(["Received", "Sent"] as const).map((direction) => (
          <button
            key={direction}
            type="button"
            className="segment"
            aria-pressed={query.direction === direction}
            onClick={() => {
              onSearch({ ...query, direction });
            }}
          >
            {direction === "Sent" ? strings.list.sent : strings.list.received}
          </button>
        ))}
      </div>
      <label className="row">
        <span className="faint">{strings.list.after}</span>
        <input
          type="datetime-local"
          step={1}
          className="input"
          aria-label={strings.list.afterLabel}
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
    <div className="row wrap">
      {given.map(([name, text]) => (
        <span key={name} className="criterion">
          <b>{strings.list.criteria[name]}</b>
          <span className="clip">{text}</span>
          <button
            type="button"
            aria-label={strings.list.remove(strings.list.criteria[name])}
            onClick={() => {
              onSearch(withCriterion(query, name, ""));
            }}
          >
            <X size={13} aria-hidden />
          </button>
        </span>
      ))}
      {given.length > 1 && <MatchSwitch query={query} onSearch={onSearch} />}
      <button
        type="button"
        className="segment push"
        onClick={() => {
          onSearch(allReceived);
        }}
      >
        {strings.list.clear}
      </button>
    </div>
  );
}

function MatchSwitch({ query, onSearch }: FilterProps): ReactElement {
  const isAny = query.criteria.match === "ANY";
  return (
    <div className="segments" role="group" aria-label={strings.list.match}>
      {(["ALL", "ANY"] as const).map((match) => (
        <button
          key={match}
          type="button"
          className="segment"
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

/** An instant as the browser's input has it, in local time to the second. */
function toLocal(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function fromLocal(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString();
}
