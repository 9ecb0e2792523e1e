import { criteriaExpression } from "../../src/core/search/build-expression.ts";
import type { Page, Criteria } from "../../src/core/criteria.ts";
import { foldAddress, foldText } from "../../src/core/fold.ts";
import type { ServerId } from "../../src/core/ids.ts";
import { parseQuery } from "../../src/core/search/parse-query.ts";
import type { Store, SummaryPage } from "../../src/store/store.ts";
import type { CorpusMail } from "./corpus.ts";
import { createRandom } from "./corpus.ts";

/** Measured store: one server with the first `size` emails of the corpus. */
export interface Subject {
  readonly store: Store;
  readonly server: ServerId;
  readonly size: number;
  readonly corpus: (index: number) => CorpusMail;
  /** Stores one more email. */
  readonly addMail: () => Promise<void>;
}

/**
 * Measured query, executed in two variants that differ only in an irrelevant bound (messages received after 1970), so that
 * the second result is not cached.
 */
export interface BenchQuery {
  readonly name: string;
  /** Target in milliseconds at 1,000,000 messages on two cores; null where only the growth counts. */
  readonly targetMs: number | null;
  /** Prepares the execution of this number; the returned function is timed. */
  prepare(subject: Subject, number: number): Promise<(variant: 0 | 1) => Promise<SummaryPage>>;
  /** Number of executions: those of a tenth of a millisecond need many to exceed noise. */
  readonly executionCount: number;
  /** Smallest and largest number of messages that an execution must find. */
  readonly found: readonly [number, number];
}

const newest: Page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null };
const executionCounts = { usual: 15, quick: 300 };
/** Pages of a list that are requested; deeper ones are slower. */
const pageCount = 15;
/** Start of terms that no email contains. */
const rare = "zq xj ";

function search(name: string, term: (mail: CorpusMail, number: number) => Criteria, found = 1): BenchQuery {
  return {
    name,
    targetMs: null,
    executionCount: executionCounts.usual,
    found: [found, found === 0 ? 0 : 50],
    prepare: async (subject, number) => {
      const mail = subject.corpus(mailOf(subject, number));
      const criteria = term(mail, number);
      return async (variant) =>
        subject.store.searchMessages(subject.server, criteriaExpression(criteria), {
          ...newest,
          receivedAfter: variant,
        });
    },
  };
}

const lists: readonly BenchQuery[] = [
  {
    name: "list of 50",
    targetMs: null,
    executionCount: executionCounts.quick,
    found: [49, 50],
    prepare:
      async ({ store, server }, number) =>
      async (variant) =>
        store.listMessages(server, { ...newest, page: number % pageCount, receivedAfter: 2 * number + variant }),
  },
  recipient("recipient, found", 1, ({ corpus, size }, number) => {
    // A different one each time, spread over all emails.
    return foldAddress(corpus(Math.floor((number * size) / executionCounts.quick)).recipient);
  }),
  recipient("recipient, absent", 0, (_, number) => `nobody-${number}@example.com`),
];

function recipient(name: string, count: 0 | 1, address: (subject: Subject, number: number) => string): BenchQuery {
  return {
    name,
    targetMs: null,
    executionCount: executionCounts.quick,
    found: [count, count],
    prepare: async (subject, number) => {
      const criteria: Criteria = { sentTo: address(subject, number), match: "ALL" };
      return async (variant) =>
        subject.store.searchMessages(subject.server, criteriaExpression(criteria), {
          ...newest,
          receivedAfter: variant,
        });
    },
  };
}

/** Returns all queries; `frequent` contains terms of frequent letters that occur nowhere. */
export function queries(frequent: readonly string[]): readonly BenchQuery[] {
  return [
    ...lists,
    search("subject, found", ({ order }) => ({ subject: foldText(order), match: "ALL" })),
    search("subject, absent", (_, number) => ({ subject: `${rare}${number}`, match: "ALL" }), 0),
    { ...search("body, found", ({ order }) => ({ body: foldText(order), match: "ALL" })), targetMs: 30 },
    { ...search("body, absent", (_, number) => ({ body: `${rare}${number}`, match: "ALL" }), 0), targetMs: 50 },
    {
      ...search("body, absent, frequent letters", (_, at) => ({ body: frequent[at] ?? rare, match: "ALL" }), 0),
      targetMs: 600,
    },
    search("body, two characters, found", greeted),
    search(
      "body, one character, absent",
      (_, number) => ({ body: String.fromCodePoint(0xa000 + number), match: "ALL" }),
      0,
    ),
    search("subject or body, absent", (_, at) => ({ body: `${rare}${at}`, subject: `${rare}${at}`, match: "ANY" }), 0),
    search(
      "frequent sender and body, absent",
      ({ sender }, number) => ({
        sentFrom: foldAddress(sender),
        body: `${rare}s${number}`,
        match: "ALL",
      }),
      0,
    ),
    poll("body, absent, repeated after an email", 5),
    { ...query("q: order number", ({ order }) => order), targetMs: 50 },
    { ...query("q: absent word", (_, number) => `${rare.replaceAll(" ", "")}${number}`, 0), targetMs: 50 },
    { ...query("q: to:part of a recipient", ({ recipient }) => `to:${recipient.slice(0, -4)}`), targetMs: 50 },
    query("q: order number, from:, -word, after:", ({ order, sender }, number) => {
      return `"${order}" from:${sender.slice(0, 6)} -${rare.trim().replaceAll(" ", "")}${number} after:1971-01-01`;
    }),
    query("q: is:unread larger:1k", () => "is:unread larger:1k"),
  ];
}

/** Returns a search by words and operators. */
function query(name: string, text: (mail: CorpusMail, number: number) => string, found = 1): BenchQuery {
  return {
    name,
    targetMs: null,
    executionCount: executionCounts.usual,
    found: [found, found === 0 ? 0 : 50],
    prepare: async (subject, number) => {
      const mail = subject.corpus(mailOf(subject, number));
      const { expression } = parseQuery(text(mail, number), { now: Date.now() });
      return async (variant) =>
        subject.store.searchMessages(subject.server, expression, { ...newest, receivedAfter: variant });
    },
  };
}

/** Returns a repeated search with an email stored before each execution. */
function poll(name: string, targetMs: number): BenchQuery {
  return {
    name,
    targetMs,
    executionCount: executionCounts.usual,
    found: [0, 0],
    prepare: async ({ store, server, addMail }) => {
      const execute = async (variant: 0 | 1) =>
        store.searchMessages(server, criteriaExpression({ body: `${rare}poll`, match: "ALL" }), {
          ...newest,
          receivedAfter: variant,
        });
      await execute(0);
      await execute(1);
      await addMail();
      return execute;
    },
  };
}

function greeted({ greeting }: CorpusMail): Criteria {
  if (greeting === undefined) throw new Error("an email without a greeting");
  return { body: foldText(greeting), match: "ALL" };
}

/** Returns the number of an email with a greeting, spread over the corpus; deterministic for a size. */
function mailOf({ corpus, size }: Subject, number: number): number {
  const random = createRandom(size * 31 + number);
  for (;;) {
    const index = random(size);
    if (corpus(index).greeting !== undefined) return index;
  }
}

/**
 * Returns terms of 4 to 12 letters that no email contains although each of their trigrams is in at least every third email
 * of a sample of the corpus.
 */
export function frequentTerms(corpus: (index: number) => CorpusMail, count: number): readonly string[] {
  const sample = Array.from({ length: 300 }, (_, index) => corpus(index * 3)).map(({ text, html }) =>
    foldText(`${text}\n${html}`),
  );
  const counts = new Map<string, number>();
  for (const text of sample) {
    const trigrams = new Set(
      text.match(/(?=([a-z]{3}))/g) === null
        ? []
        : Array.from(text.matchAll(/(?=([a-z]{3}))/g), ([, one]) => one ?? ""),
    );
    for (const trigram of trigrams) counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([, of]) => of * 3 >= sample.length).map(([trigram]) => trigram);
  const random = createRandom(7);
  const terms = new Set<string>();
  for (let tries = 0; terms.size < count && tries < 100_000; tries++) {
    const term = walk(frequent, random, 4 + random(9));
    if (term !== undefined && !sample.some((text) => text.includes(term))) terms.add(term);
  }
  return [...terms];
}

function walk(trigrams: readonly string[], random: (bound: number) => number, length: number): string | undefined {
  let term = trigrams[random(trigrams.length)] ?? "";
  while (term.length < length) {
    const following = trigrams.filter((one) => one.startsWith(term.slice(-2)));
    const next = following[random(following.length)];
    if (next === undefined) return undefined;
    term += next.charAt(2);
  }
  return term;
}
