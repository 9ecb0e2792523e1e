/** Parts of texts that show why a search found a message whose row does not contain the terms. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { readPassages } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { findRanges } from "../shared/find-ranges.ts";
import { addressOf } from "../shared/format.ts";
import { termsIn, type SearchedText } from "../shared/use-highlights.ts";
import { useSettled } from "../shared/use-settled.ts";
import type { MessageExcerpt, Summary } from "../wire.ts";
import type { MessageList } from "./use-message-list.ts";

/** Rows in view, both included. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** Rows that pass by while scrolling are not requested. */
const settleMs = 60;
/** Beginning of a summary that is visible in a row, in UTF-16 units. */
const visibleLength = 60;
const cachedMax = 2000;
/** Passages by the terms and the id; null for a text without one. Content never changes. Beyond the bound the oldest are evicted. */
const cached = new Map<string, string | null>();

/** Returns passages by message id for those rows in view whose texts lack a term that the search looked for in texts. */
export function usePassages(
  list: MessageList,
  terms: readonly SearchedText[],
  range: RowRange,
): ReadonlyMap<string, string> {
  const { first, last } = JSON.parse(useSettled(JSON.stringify(range), settleMs)) as RowRange;
  const missing = termsIn("body", terms).length === 0 ? [] : missingTerms(list, terms, { first, last });
  const name = JSON.stringify(missing);
  const { data } = useQuery({
    queryKey: queryKeys.passages(name),
    queryFn: async ({ signal }) => loadPassages(missing, signal),
    enabled: missing.length > 0,
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return missing.length === 0 || data === undefined ? none : data;
}

const none: ReadonlyMap<string, string> = new Map();

/** Message, and the terms that its row does not show. */
type Missing = readonly [id: string, ...terms: string[]];

function missingTerms(
  list: MessageList,
  terms: readonly SearchedText[],
  { first, last }: RowRange,
): readonly Missing[] {
  const inTexts = terms.filter((term) => termsIn("body", [term]).length > 0);
  const found: Missing[] = [];
  for (let row = first; row <= last; row += 1) {
    const message = list.at(row);
    const excerpt = list.excerpts.get(message?.id ?? "");
    if (message === undefined || excerpt === undefined) continue;
    const absent = inTexts.filter((term) => !isShown(term, message, excerpt)).map(({ text }) => text);
    if (absent.length > 0) found.push([message.id, ...absent]);
  }
  return found;
}

function isShown({ operator, text }: SearchedText, message: Summary, excerpt: MessageExcerpt): boolean {
  const anywhere = (): readonly string[] => [
    message.subject,
    ...[message.from, message.to, message.cc, message.bcc].flat().flatMap((one) => [one.name, addressOf(one)]),
    ...[excerpt.files, excerpt.codes, excerpt.tags, excerpt.providerTags].flat(),
  ];
  const shown = [message.summary.slice(0, visibleLength), ...(operator === null ? anywhere() : [])];
  return shown.some((one) => findRanges(one, [text]).length > 0);
}

async function loadPassages(missing: readonly Missing[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const byTerms = Map.groupBy(
    missing.filter(([id, ...terms]) => !cached.has(keyOf(id, terms))),
    ([, ...terms]) => JSON.stringify(terms),
  );
  for (const [key, group] of byTerms) {
    const terms = JSON.parse(key) as readonly string[];
    const ids = group.map(([id]) => id);
    const passages = new Map((await readPassages(ids, terms, signal)).map(({ id, text }) => [id, text]));
    for (const id of ids) cached.set(keyOf(id, terms), passages.get(id) ?? null);
  }
  const entries = missing.flatMap(([id, ...terms]) => {
    const text = cached.get(keyOf(id, terms)) ?? null;
    return text === null ? [] : [[id, text] as const];
  });
  for (const key of cached.keys()) {
    if (cached.size <= cachedMax) break;
    cached.delete(key);
  }
  return new Map(entries);
}

function keyOf(id: string, terms: readonly string[]): string {
  return JSON.stringify([id, ...terms]);
}
