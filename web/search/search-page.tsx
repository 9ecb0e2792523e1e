import { clsx } from "clsx";
import { useRef, type ReactElement } from "react";
import { useServers } from "../api/servers.ts";
import { SearchBox } from "../list/search-box.tsx";
import { useSearchDraft, type LiveDraft, type OnSearch } from "../list/use-search-draft.ts";
import { navigate, useFormerServer, useMailQuery } from "../navigation/location.tsx";
import { allServersAddress, formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { operatorOf } from "../navigation/query-text.ts";
import { inboxPath } from "../navigation/routes.ts";
import { Chip } from "../shared/chip.tsx";
import fieldStyles from "../shared/field.module.css";
import layout from "../shared/layout.module.css";
import { Page } from "../shared/page.tsx";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import styles from "./search-page.module.css";
import { Results } from "./search-results.tsx";

const labels = strings.search;

/** Search over all servers that the session may access. */
export function SearchPage(): ReactElement {
  const query = useMailQuery();
  const former = useFormerServer();
  const inputRef = useRef<HTMLInputElement>(null);
  const onSearch: OnSearch = (next, options) => {
    navigate(allServersAddress(next, former), options);
  };
  const draft = useSearchDraft(query, onSearch);
  useShortcuts({ "/": () => inputRef.current?.focus() });
  return (
    <Page title={labels.title} lead={labels.lead}>
      <div className={styles.search} role="search">
        <SearchBox draft={draft} known={{ tags: [], senders: [], recipients: [], recent: [] }} inputRef={inputRef} />
        <Scope query={query} former={former} />
        <DraftChips draft={draft} />
      </div>
      <Results query={query} onSearch={onSearch} />
    </Page>
  );
}

function Scope({ query, former }: { readonly query: MailQuery; readonly former: string | null }): ReactElement | null {
  const { data: servers } = useServers();
  const server = servers?.find(({ id }) => id === former);
  if (server === undefined) return null;
  return (
    <div className={fieldStyles.segments} role="group" aria-label={labels.scope}>
      <button
        type="button"
        className={fieldStyles.segment}
        aria-pressed={false}
        onClick={() => {
          navigate(inboxPath(server.id) + formatMailQuery(query));
        }}
      >
        {server.name}
      </button>
      <button type="button" className={fieldStyles.segment} aria-pressed>
        {labels.allServers}
      </button>
    </div>
  );
}

function DraftChips({ draft }: { readonly draft: LiveDraft }): ReactElement | null {
  if (draft.chips.length === 0) return null;
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      {draft.chips.map((term, at) => (
        <Chip
          // oxlint-disable-next-line react/no-array-index-key -- terms can repeat
          key={`${at} ${term}`}
          label={operatorOf(term)?.operator}
          text={operatorOf(term)?.value ?? term}
          name={term}
          onRemove={() => {
            draft.removeChip(at);
          }}
        />
      ))}
    </div>
  );
}
