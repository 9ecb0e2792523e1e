/** Threads by references (RFC 5256 section 3, REFERENCES). */
import type { SortedMessage } from "./sort-command.ts";

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
function firstMessage({ message, children }: ThreadNode): SortedMessage | null {
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

/** Depth of threads: further messages begin a thread of their own. */
export const threadDepthMax = 1000;

/** Returns the threads of messages, which are in the order of their numbers. */
export function threadsByReferences(messages: readonly SortedMessage[]): readonly ThreadNode[] {
  const nodes = linked(messages);
  const roots = pruned(nodes.filter(({ parent }) => parent === null));
  sortThreads(roots);
  const gathered = bySubject(roots);
  sortThreads(gathered);
  return gathered;
}

/** Links messages with those that they refer to. */
function linked(messages: readonly SortedMessage[]): readonly ThreadNode[] {
  const byId = new Map<string, ThreadNode>();
  const all: ThreadNode[] = [];
  const nodeOf = (id: string): ThreadNode => {
    const known = byId.get(id);
    if (known !== undefined) return known;
    const node = threadNode(null);
    byId.set(id, node);
    all.push(node);
    return node;
  };
  for (const message of messages) {
    const ownId = message.messageId;
    // A repeated Message-ID counts as none.
    const isOwn = ownId !== null && (byId.get(ownId)?.message ?? null) === null;
    const node = isOwn ? nodeOf(ownId) : threadNode(null);
    if (!isOwn) all.push(node);
    node.message = message;
    let previous: ThreadNode | null = null;
    for (const reference of message.references.map(nodeOf)) {
      if (previous !== null && reference.parent === null) link(previous, reference);
      previous = reference;
    }
    if (previous === null) continue;
    unlink(node);
    link(previous, node);
  }
  return all;
}

/** Links a child without parent, unless that made a loop or a thread that is too deep. */
function link(parent: ThreadNode, child: ThreadNode): void {
  let depth = 0;
  for (let above: ThreadNode | null = parent; above !== null; above = above.parent) {
    depth += 1;
    if (above === child || depth > threadDepthMax) return;
  }
  child.parent = parent;
  parent.children.push(child);
}

function unlink(child: ThreadNode): void {
  const { parent } = child;
  if (parent === null) return;
  parent.children.splice(parent.children.indexOf(child), 1);
  child.parent = null;
}

/** Removes nodes without message; those at the top stay when they have several children. */
function pruned(roots: readonly ThreadNode[]): ThreadNode[] {
  const all = [...roots];
  for (let at = 0; at < all.length; at += 1) for (const child of all[at]?.children ?? []) all.push(child);
  for (const node of all.toReversed()) {
    node.children = node.children.flatMap((child) => (child.message === null ? child.children : [child]));
  }
  return roots.flatMap((root) => (root.message === null && root.children.length < 2 ? root.children : [root]));
}

/** Joins threads with the same base subject. */
function bySubject(roots: readonly ThreadNode[]): ThreadNode[] {
  const table = new Map<string, ThreadNode>();
  for (const root of roots) {
    const subject = subjectOf(root);
    const known = table.get(subject);
    if (subject !== "" && (known === undefined || isBetter(root, known))) table.set(subject, root);
  }
  const threads = new Set(roots);
  for (const root of roots) {
    const known = table.get(subjectOf(root));
    if (known === undefined || known === root) continue;
    const joined = join(known, root);
    threads.delete(root);
    threads.delete(known);
    threads.add(joined);
    table.set(subjectOf(root), joined);
  }
  return [...threads];
}

function subjectOf(root: ThreadNode): string {
  return firstMessage(root)?.subject.text ?? "";
}

/** Returns the thread of two with the same base subject. */
function join(known: ThreadNode, root: ThreadNode): ThreadNode {
  if (known.message === null) known.children.push(...(root.message === null ? root.children : [root]));
  else if (isReply(root) && !isReply(known)) known.children.push(root);
  else {
    const both = threadNode(null);
    both.children.push(known, root);
    return both;
  }
  return known;
}

/** Whether a thread represents its subject better than another one: a node without message, or not a reply. */
function isBetter(root: ThreadNode, known: ThreadNode): boolean {
  if (known.message !== null && root.message === null) return true;
  return isReply(known) && !isReply(root);
}

function isReply({ message }: ThreadNode): boolean {
  return message?.subject.isReply === true;
}
