import { SearchX } from "lucide-react";
import type { ReactElement } from "react";
import { useSearchSuggestions } from "../api/searches.ts";
import { navigate } from "../navigation/location.tsx";
import { allServersAddress, type MailQuery } from "../navigation/mail-query.ts";
import { Button } from "../shared/button.tsx";
import layout from "../shared/layout.module.css";
import { focusContent } from "../shared/lost-focus.ts";
import pageStyles from "../shared/page.module.css";
import { strings } from "../strings.ts";
import type { SearchSuggestion } from "../wire.ts";
import styles from "./list.module.css";
import type { OnSearch } from "./use-search-draft.ts";

/** Empty result of a search, with searches that find messages as buttons. */
export function NoMatches(props: {
  /** Null for all servers. */
  readonly server: string | null;
  readonly query: MailQuery;
  readonly onSearch: OnSearch;
}): ReactElement {
  const { server, query, onSearch } = props;
  const { data: suggestions } = useSearchSuggestions(server, query);
  const take = ({ q, dir, server: found }: SearchSuggestion): void => {
    focusContent();
    if (found === null && server !== null) navigate(allServersAddress({ ...query, q, direction: dir }, server));
    else onSearch({ ...query, q, direction: dir });
  };
  return (
    <div className={pageStyles.empty}>
      <SearchX size={32} strokeWidth={1.4} aria-hidden />
      <p role="status">{strings.list.nothing}</p>
      {suggestions === undefined || suggestions.length === 0 ? (
        <p className={layout.small}>{strings.list.nothingHint}</p>
      ) : (
        <ul className={styles.alternatives} aria-label={strings.list.alternatives}>
          {suggestions.map((suggestion) => (
            <li key={`${suggestion.kind} ${suggestion.q} ${suggestion.dir}`}>
              <Button onClick={() => take(suggestion)}>{textOf(suggestion)}</Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function textOf({ kind, count, isExact, dir, term, replacement }: SearchSuggestion): string {
  const texts = strings.list.suggested;
  const found = isExact ? count.toLocaleString("en") : strings.list.atLeast(count);
  if (kind === "direction") return dir === "Sent" ? texts.sent(found) : texts.received(found);
  if (kind === "servers") return texts.servers(found);
  return kind === "without" ? texts.without(found, term ?? "") : texts.replace(found, replacement ?? "");
}
