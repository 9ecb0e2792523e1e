import { clsx } from "clsx";
import { type ReactElement, useEffect, useRef } from "react";
import { useServers } from "../api/servers.ts";
import { SearchBox } from "../list/search-box.tsx";
import { TermChips } from "../list/search-panel.tsx";
import { type OnSearch, useSearchDraft } from "../list/use-search-draft.ts";
import { navigate, useFormerServer, useMailQuery } from "../navigation/location.tsx";
import { allServersAddress, formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { inboxPath } from "../navigation/routes.ts";
import { Segments } from "../shared/field.tsx";
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
  const onSearch: OnSearch = (next, options) => navigate(allServersAddress(next, former), options);
  const draft = useSearchDraft(query, onSearch);
  useShortcuts({ "/": () => inputRef.current?.focus() });
  const isBlank = useRef(query.q === "");
  useEffect(() => {
    // The results of a link are not covered by suggestions or the keyboard of a phone.
    if (isBlank.current) inputRef.current?.focus();
  }, []);
  return (
    <Page title={labels.title}>
      <div className={styles.search} role="search">
        <SearchBox draft={draft} known={{ tags: [], senders: [], recipients: [], recent: [] }} inputRef={inputRef} />
        <Scope query={query} former={former} />
        {draft.chips.length > 0 && (
          <div className={clsx(layout.row, layout.wrap)}>
            <TermChips draft={draft} />
          </div>
        )}
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
    <Segments
      label={labels.scope}
      value="all"
      options={[
        ["server", server.name],
        ["all", labels.allServers],
      ]}
      onChange={(scope) => {
        if (scope === "server") navigate(inboxPath(server.id) + formatMailQuery(query));
      }}
    />
  );
}
