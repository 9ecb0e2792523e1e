/** SORT and UID SORT (RFC 5256). */
import { atomOf, listOf, no, ok, type ImapCommand, bad } from "./command.ts";
import { findMessages, readSearch } from "./search-command.ts";
import { sortThreads, threadNode, writeThreads, type ThreadNode } from "./thread-node.ts";
import { threadsByReferences } from "./thread-references.ts";
import { ImapSyntaxError, type ImapToken } from "./tokens.ts";
import { readSortedMessages, type SortedMessage } from "./sort-facts.ts";

type Comparison = (a: SortedMessage, b: SortedMessage) => number;

const byNumber =
  (value: (message: SortedMessage) => number): Comparison =>
  (a, b) =>
    value(a) - value(b);
const byText =
  (value: (message: SortedMessage) => string): Comparison =>
  (a, b) =>
    compareTexts(value(a), value(b));

const criteria: ReadonlyMap<string, Comparison> = new Map([
  ["ARRIVAL", byNumber(({ arrivedAt }) => arrivedAt)],
  ["CC", byText(({ cc }) => cc)],
  ["DATE", byNumber(({ sentAt }) => sentAt)],
  ["FROM", byText(({ from }) => from)],
  ["SIZE", byNumber(({ sizeBytes }) => sizeBytes)],
  ["SUBJECT", byText(({ subject }) => subject.text)],
  ["TO", byText(({ to }) => to)],
]);
/** Criteria of one command, with REVERSE. */
const criterionCountMax = 20;

/** Compares folded texts by their UTF-16 units. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** SORT, with numbers or with UIDs in its response. */
export function sorting(isUid: boolean): ImapCommand {
  return {
    state: "selected",
    updates: isUid ? "all" : "withoutExpunge",
    run: async (session, [order, charset, ...keys]) => {
      const comparisons = readCriteria(listOf(order, "The criteria"));
      const search = readSearch(charset, keys);
      const { selected } = session;
      if (search === null || selected === null) return no("[BADCHARSET (US-ASCII UTF-8)] Unknown charset");
      const uids = await findMessages(session, selected, search);
      const messages = await readSortedMessages(session, selected, selected.messagesOf(uids));
      const sorted = messages.toSorted((a, b) => compareAll(comparisons, a, b));
      const numbers = sorted.map(({ message }) => ` ${isUid ? message.uid : message.number}`);
      await session.send(`* SORT${numbers.join("")}\r\n`);
      return ok("SORT completed");
    },
  };
}

function readCriteria(tokens: readonly ImapToken[]): readonly Comparison[] {
  if (tokens.length > criterionCountMax) throw new ImapSyntaxError("SORT has too many criteria");
  const comparisons: Comparison[] = [];
  let isReverse = false;
  for (const token of tokens) {
    const name = atomOf(token, "The criterion");
    const comparison = criteria.get(name);
    if (name === "REVERSE" && !isReverse) isReverse = true;
    else if (comparison === undefined) {
      throw new ImapSyntaxError(`The criteria of SORT are ${[...criteria.keys()].join(", ")}, and REVERSE before one`);
    } else {
      comparisons.push(isReverse ? (a, b) => -comparison(a, b) : comparison);
      isReverse = false;
    }
  }
  if (comparisons.length === 0 || isReverse) throw new ImapSyntaxError("SORT needs a criterion");
  return comparisons;
}

/** Compares by all criteria, then by number. */
function compareAll(comparisons: readonly Comparison[], a: SortedMessage, b: SortedMessage): number {
  for (const compare of comparisons) {
    const result = compare(a, b);
    if (result !== 0) return result;
  }
  return a.message.number - b.message.number;
}

const algorithms: ReadonlyMap<string, (messages: readonly SortedMessage[]) => readonly ThreadNode[]> = new Map([
  ["ORDEREDSUBJECT", threadsBySubject],
  ["REFERENCES", threadsByReferences],
]);

/** THREAD, with numbers or with UIDs in its response. */
export function threading(isUid: boolean): ImapCommand {
  return {
    state: "selected",
    updates: isUid ? "all" : "withoutExpunge",
    run: async (session, [name, charset, ...keys]) => {
      const algorithm = algorithms.get(atomOf(name, "The algorithm"));
      if (algorithm === undefined) return bad(`The algorithms of THREAD are ${[...algorithms.keys()].join(", ")}`);
      const search = readSearch(charset, keys);
      const { selected } = session;
      if (search === null || selected === null) return no("[BADCHARSET (US-ASCII UTF-8)] Unknown charset");
      const uids = await findMessages(session, selected, search);
      const messages = await readSortedMessages(session, selected, selected.messagesOf(uids));
      const threads = writeThreads(algorithm(messages), ({ message }) => (isUid ? message.uid : message.number));
      await session.send(`* THREAD${threads === "" ? "" : ` ${threads}`}\r\n`);
      return ok("THREAD completed");
    },
  };
}

/** Returns a thread for each base subject: the messages after the first one are its children. */
function threadsBySubject(messages: readonly SortedMessage[]): readonly ThreadNode[] {
  const groups = Map.groupBy(messages, ({ subject }) => subject.text);
  const threads = Array.from(groups.values(), (group) => {
    const [first, ...others] = group.toSorted((a, b) => a.sentAt - b.sentAt || a.message.number - b.message.number);
    const root = threadNode(first ?? null);
    root.children = others.map(threadNode);
    return root;
  });
  sortThreads(threads);
  return threads;
}
