/** THREAD and UID THREAD (RFC 5256). */
import { atomOf, bad, no, ok, type ImapCommand } from "./command.ts";
import { findMessages, readSearch } from "./search-command.ts";
import type { SortedMessage } from "./sort-facts.ts";
import { readSortedMessages } from "./sort-facts.ts";
import { sortThreads, threadNode, writeThreads, type ThreadNode } from "./thread-node.ts";
import { threadsByReferences } from "./thread-references.ts";

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
