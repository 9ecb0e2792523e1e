import type { Page } from "../../src/core/criteria.ts";
import { foldAddress, foldText } from "../../src/core/fold.ts";
import type { ServerId } from "../../src/core/ids.ts";
import type { FoldedCriteria, Store, SummaryPage } from "../../src/store/store.ts";
import type { CorpusMail } from "./corpus.ts";
import { createRandom } from "./corpus.ts";

/** A store under measurement: one server with the first `size` mails of the corpus. */
export interface Subject {
  readonly store: Store;
  readonly server: ServerId;
  readonly size: number;
  readonly corpus: (index: number) => CorpusMail;
  /** Stores one more mail. */
  readonly addMail: () => Promise<void>;
}

/**
 * A question that is asked in two variants that differ in nothing that matters (messages received after 1970), so that
 * the store has no answer ready when it is asked again.
 */
export interface Question {
  readonly name: string;
  /** Milliseconds at 1,000,000 messages on two cores; null where only the growth counts. */
  readonly targetMs: number | null;
  /** Prepares the asking of this number; what it answers is what is timed. */
  ask(subject: Subject, number: number): Promise<(variant: 0 | 1) => Promise<SummaryPage>>;
  /** How often it is asked: what takes a tenth of a millisecond needs many to be told from noise. */
  readonly askCount: number;
  /** How many messages an asking must find at least and at most. */
  readonly found: readonly [number, number];
}

const newest: Page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null };
const askCounts = { usual: 15, quick: 300 };
/** Deeper pages are another question. */
const pageCount = 15;
/** Starts what no mail holds. */
const rare = "zq xj ";

function search(name: string, term: (mail: CorpusMail, number: number) => FoldedCriteria, found = 1): Question {
  return {
    name,
    targetMs: null,
    askCount: askCounts.usual,
    found: [found, found === 0 ? 0 : 50],
    ask: async (subject, number) => {
      const mail = subject.corpus(mailOf(subject, number));
      const criteria = term(mail, number);
      return async (variant) =>
        subject.store.searchMessages(subject.server, criteria, { ...newest, receivedAfter: variant });
    },
  };
}

const lists: readonly Question[] = [
  {
    name: "list of 50",
    targetMs: null,
    askCount: askCounts.quick,
    found: [49, 50],
    ask:
      async ({ store, server }, number) =>
      async (variant) =>
        store.listMessages(server, { ...newest, page: number % pageCount, receivedAfter: 2 * number + variant }),
  },
  recipient("recipient, found", 1, ({ corpus, size }, number) => {
    // Another one each time, spread over all mails.
    return foldAddress(corpus(Math.floor((number * size) / askCounts.quick)).recipient);
  }),
  recipient("recipient, absent", 0, (_, number) => `nobody-${number}@example.com`),
];

function recipient(name: string, count: 0 | 1, address: (subject: Subject, number: number) => string): Question {
  return {
    name,
    targetMs: null,
    askCount: askCounts.quick,
    found: [count, count],
    ask: async (subject, number) => {
      const criteria: FoldedCriteria = { sentTo: address(subject, number), match: "ALL" };
      return async (variant) =>
        subject.store.searchMessages(subject.server, criteria, { ...newest, receivedAfter: variant });
    },
  };
}

/** All questions; `frequent` holds terms of frequent letters that occur nowhere. */
export function questions(frequent: readonly string[]): readonly Question[] {
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
    poll("body, absent, asked again after a mail", 5),
  ];
}

/** The same search again and again, with a mail coming in between. */
function poll(name: string, targetMs: number): Question {
  return {
    name,
    targetMs,
    askCount: askCounts.usual,
    found: [0, 0],
    ask: async ({ store, server, addMail }) => {
      const ask = async (variant: 0 | 1) =>
        store.searchMessages(server, { body: `${rare}poll`, match: "ALL" }, { ...newest, receivedAfter: variant });
      await ask(0);
      await ask(1);
      await addMail();
      return ask;
    },
  };
}

function greeted({ greeting }: CorpusMail): FoldedCriteria {
  if (greeting === undefined) throw new Error("a mail without a greeting");
  return { body: foldText(greeting), match: "ALL" };
}

/** A mail of the corpus that has a greeting, spread over all of it; the same ones for a size. */
function mailOf({ corpus, size }: Subject, number: number): number {
  const random = createRandom(size * 31 + number);
  for (;;) {
    const index = random(size);
    if (corpus(index).greeting !== undefined) return index;
  }
}

/**
 * Terms of 4 to 12 letters that no mail holds although each of their trigrams is in at least every third mail, found in
 * a sample of the corpus.
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
