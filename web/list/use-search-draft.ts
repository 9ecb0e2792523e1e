import { useEffect, useRef, useState } from "react";
import type { MailQuery } from "../navigation/mail-query.ts";
import { committed, joinQuery, liveQuery, splitQuery, withText, type SearchDraft } from "../navigation/query-text.ts";

/** Searches for a query; with `replace`, without a history entry of its own. */
export type OnSearch = (query: MailQuery, options?: { readonly replace?: boolean }) => void;

/** Text and chips of the search box while the search follows them. */
export interface LiveDraft extends SearchDraft {
  /** Changes the text; the search follows shortly after. */
  readonly type: (text: string) => void;
  /** Makes chips of the operators in a text, or in the current one, and searches at once. */
  readonly commit: (text?: string) => void;
  readonly removeChip: (index: number) => void;
}

/** Pause in typing after which a search is sent, in milliseconds. */
const pauseMs = 60;

/**
 * Returns the draft of a query. While one types, the first change of the query adds a history entry and the others replace it,
 * so that one step back leads to the list before the search. Another query in the address replaces the draft.
 */
export function useSearchDraft(query: MailQuery, onSearch: OnSearch): LiveDraft {
  const [draft, setDraft] = useState(() => splitQuery(query.q));
  const latest = useRef({ query, onSearch });
  const sent = useRef(query.q);
  const hasEntry = useRef(false);
  const timer = useRef(0);
  useEffect(() => {
    latest.current = { query, onSearch };
    if (query.q === sent.current) return;
    clearTimeout(timer.current);
    sent.current = query.q;
    hasEntry.current = false;
    setDraft(splitQuery(query.q));
  }, [query, onSearch]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (q: string): void => {
    if (q === sent.current) return;
    sent.current = q;
    const replace = hasEntry.current;
    hasEntry.current = true;
    latest.current.onSearch({ ...latest.current.query, q }, { replace });
  };
  const apply = (next: SearchDraft): void => {
    clearTimeout(timer.current);
    setDraft(next);
    send(joinQuery(next));
  };
  return {
    ...draft,
    type: (text) => {
      const next = withText(draft, text);
      setDraft(next);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => send(liveQuery(next)), pauseMs);
    },
    commit: (text = draft.text) => {
      apply(committed({ ...draft, text }));
      hasEntry.current = false;
    },
    removeChip: (index) => {
      hasEntry.current = false;
      apply({ ...draft, chips: draft.chips.toSpliced(index, 1) });
    },
  };
}
