import { type SortedMessage } from "./sort-facts.ts";

/** Message in a thread; `message` is null for one that the mailbox does not have, but others refer to. */
export interface ThreadNode {
  message: SortedMessage | null;
  parent: ThreadNode | null;
  children: ThreadNode[];
}

/** Returns a node without parent and children. */
export function threadNode(message: SortedMessage | null): ThreadNode {
  return { message, parent: null, children: [] };
}

/** Sorts siblings at all depths by the date of their message, or of their first child. */
export function sortThreads(roots: ThreadNode[]): void {
  const all = [...roots];
  for (let at = 0; at < all.length; at += 1) for (const child of all[at]?.children ?? []) all.push(child);
  // Children come after their parents, and have to be sorted before them.
  for (const { children } of all.toReversed()) children.sort(compareNodes);
  roots.sort(compareNodes);
}

function compareNodes(a: ThreadNode, b: ThreadNode): number {
  const [first, second] = [firstMessage(a), firstMessage(b)];
  if (first === null || second === null) return 0;
  return first.sentAt - second.sentAt || first.message.number - second.message.number;
}

/** Returns the message of a node, or else of its first child. */
export function firstMessage({ message, children }: ThreadNode): SortedMessage | null {
  return message ?? children[0]?.message ?? null;
}

/** Writes threads as the response of THREAD does (RFC 5256 section 4); without recursion, because threads may be deep. */
export function writeThreads(roots: readonly ThreadNode[], numberOf: (message: SortedMessage) => number): string {
  const written: string[] = [];
  const open: (ThreadNode | ")")[] = roots.toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === ")") {
      written.push(")");
      continue;
    }
    const chain = chainOf(next);
    const numbers = chain.flatMap(({ message }) => (message === null ? [] : [numberOf(message)]));
    const branches = chain.at(-1)?.children ?? [];
    written.push(`(${numbers.join(" ")}${numbers.length > 0 && branches.length > 0 ? " " : ""}`);
    open.push(")", ...branches.toReversed());
  }
  return written.join("");
}

/** Returns a node, its only child, the only child of that, and so on. */
function chainOf(node: ThreadNode): readonly ThreadNode[] {
  const chain = [node];
  for (let last = node; last.children.length === 1;) {
    const [only] = last.children;
    if (only === undefined) break;
    chain.push(only);
    last = only;
  }
  return chain;
}
