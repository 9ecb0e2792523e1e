import { clsx } from "clsx";
import { Bookmark, SlidersHorizontal } from "lucide-react";
import { useState, type ReactElement, type RefObject } from "react";
import { usePermissions } from "../api/permissions.ts";
import { Link } from "../navigation/location.tsx";
import {
  activeCriteria,
  allReceived,
  allServersAddress,
  hasSearch,
  withCriterion,
  type MailQuery,
} from "../navigation/mail-query.ts";
import { operatorOf } from "../navigation/query-text.ts";
import { Button, buttonClass, IconButton } from "../shared/button.tsx";
import { Chip } from "../shared/chip.tsx";
import { Segments } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { lazyPart } from "../shared/lazy-component.ts";
import { strings } from "../strings.ts";
import styles from "./list.module.css";
import { isFilterTerm } from "./filter-terms.ts";
import { KnownSearchBox } from "./search-box.tsx";
import type { MessageList } from "./use-message-list.ts";
import { useSearchDraft, type LiveDraft, type OnSearch } from "./use-search-draft.ts";

const SavedSearchesDialog = lazyPart(async () => (await import("./saved-searches-dialog.tsx")).SavedSearchesDialog);

const SearchFilters = lazyPart(async () => (await import("./search-filters.tsx")).SearchFilters);

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
  const draft = useSearchDraft(query, onSearch);
  const openSaved = (): void => setSavedOpen(true);
  return (
    <div className={styles.search} role="search">
      <div className={layout.row}>
        <KnownSearchBox server={server} list={list} draft={draft} inputRef={inputRef} />
        <IconButton name={strings.list.saved.title} icon={Bookmark} aria-haspopup="dialog" onClick={openSaved} />
        <IconButton
          name={strings.list.filters}
          icon={SlidersHorizontal}
          aria-pressed={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      {isOpen && <SearchFilters query={query} onSearch={onSearch} />}
      {hasSearch(query) && (
        <div className={clsx(layout.row, layout.wrap)}>
          <Chips query={query} onSearch={onSearch} draft={draft} />
          <SearchActions server={server} query={query} onSearch={onSearch} onSave={openSaved} />
        </div>
      )}
      {isSavedOpen && (
        <SavedSearchesDialog
          server={server}
          q={query.q}
          onOpen={(q) => {
            setSavedOpen(false);
            onSearch({ ...query, q });
          }}
          onClose={() => setSavedOpen(false)}
        />
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
      <Button variant="quiet" onClick={() => onSearch({ ...allReceived, direction: query.direction })}>
        {strings.list.clear}
      </Button>
    </span>
  );
}

type FilterProps = Pick<SearchPanelProps, "query" | "onSearch">;

function Chips({ query, onSearch, draft }: FilterProps & { readonly draft: LiveDraft }): ReactElement {
  const given = activeCriteria(query);
  return (
    <>
      {/* The filter above the list shows some already. */}
      <TermChips draft={draft} isShown={(term) => !isFilterTerm(term)} />
      {given.map(([name, text]) => (
        <Chip
          key={name}
          label={strings.list.criteria[name]}
          text={text}
          name={strings.list.criteria[name]}
          onRemove={() => onSearch(withCriterion(query, name, ""))}
        />
      ))}
      {given.length > 1 && <MatchSwitch query={query} onSearch={onSearch} />}
    </>
  );
}

/** Terms of a search as chips, each of which can be removed. */
export function TermChips(props: {
  readonly draft: LiveDraft;
  readonly isShown?: (term: string) => boolean;
}): ReactElement {
  const { draft, isShown = () => true } = props;
  return (
    <>
      {draft.chips.map((term, at) => {
        const operator = operatorOf(term);
        return (
          isShown(term) && (
            <Chip
              // oxlint-disable-next-line react/no-array-index-key -- terms can repeat
              key={`${at} ${term}`}
              label={operator === null ? "" : `${operator.isNegated ? "-" : ""}${operator.operator}`}
              text={operator?.value ?? term}
              name={term}
              onRemove={() => draft.removeChip(at)}
            />
          )
        );
      })}
    </>
  );
}

function MatchSwitch({ query, onSearch }: FilterProps): ReactElement {
  return (
    <Segments
      label={strings.list.match}
      value={query.criteria.match ?? "ALL"}
      options={[
        ["ALL", strings.list.matchAll],
        ["ANY", strings.list.matchAny],
      ]}
      onChange={(match) => onSearch({ ...query, criteria: { ...query.criteria, match } })}
    />
  );
}
