import { criteriaExpression } from "../../core/search/build-expression.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChangeKind } from "../../core/events.ts";
import { criterionTargets, givenCriteria, type Page, type Criteria } from "../../core/criteria.ts";
import { decodeMessageId, messageRangeOf, type MessageId, type ServerId } from "../../core/ids.ts";
import type { NewMessage, ExpiryRule, Store } from "../store.ts";
import { draft, epochMs, type Draft } from "./drafts.ts";
import { idsOf, makeServer, useStore, type OpenStore } from "./setup.ts";

interface Held {
  readonly message: NewMessage;
  readonly sequence: number;
}

/** Reference implementation of the contract: an array that is filtered and sorted for every query. */
class Model {
  messages: Held[] = [];
  changes: { sequence: number; kind: ChangeKind; id: MessageId | null }[] = [];
  retired = 0;

  record(kind: ChangeKind, id: MessageId | null): number {
    this.changes.push({ sequence: this.changes.length + 1, kind, id });
    return this.changes.length;
  }

  select(page: Page, matches: (message: NewMessage) => boolean): readonly MessageId[] {
    return this.messages
      .filter(({ message, sequence }) => {
        const { direction, receivedAt } = decodeMessageId(message.id);
        const isYounger = page.receivedAfter === null || receivedAt > page.receivedAfter;
        return direction === page.direction && isYounger && sequence > (page.afterSequence ?? 0) && matches(message);
      })
      .map(({ message }) => message.id)
      .toSorted((a, b) => (a < b ? 1 : -1));
  }

  remove(id: MessageId): boolean {
    const before = this.messages.length;
    this.messages = this.messages.filter(({ message }) => message.id !== id);
    return this.messages.length < before;
  }
}

interface Real {
  readonly store: Store;
  readonly server: ServerId;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Returns a command, which is skipped when `check` returns false. */
function command(
  description: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return { check, run, toString: () => description };
}

function matcher(criteria: Criteria): (message: NewMessage) => boolean {
  return ({ keys }) => {
    const texts = { subject: keys.subject, body: keys.body.text ?? "" };
    const results = givenCriteria(criteria).map((name) => {
      const [target, value] = [criterionTargets[name], criteria[name] ?? ""];
      return target.kind === "text" ? texts[target.field].includes(value) : keys[target.role]?.includes(value) === true;
    });
    return criteria.match === "ALL" ? results.every(Boolean) : results.some(Boolean);
  };
}

function expectPage(
  answer: Awaited<ReturnType<Store["listMessages"]>>,
  expected: readonly MessageId[],
  page: Page,
): void {
  const start = page.page * page.itemsPerPage;
  expect(idsOf(answer)).toEqual(expected.slice(start, start + page.itemsPerPage));
  expect(answer.hasMore).toBe(expected.length > start + page.itemsPerPage);
  if (answer.total !== null) expect(answer.total).toBe(expected.length);
}

const add = (drafts: readonly Draft[]): Command =>
  command(`add ${JSON.stringify(drafts)}`, async (model, { store, server }) => {
    const messages = drafts.map((fields) => draft(server, fields));
    const slot = ({ id }: NewMessage) => messageRangeOf(id).first;
    const isFree = messages.map((message) => !model.messages.some((held) => slot(held.message) === slot(message)));
    const isWanted = new Set(messages.map(slot)).size < messages.length;
    const stored = await store.addMessages(messages);
    if (isWanted || isFree.includes(false)) {
      // Drafts are random in every byte that is compared, so none repeats another.
      expect(stored.map(({ outcome }) => outcome)).toEqual(messages.map(() => "collision"));
      return;
    }
    for (const [index, message] of messages.entries()) {
      const { direction } = decodeMessageId(message.id);
      const sequence = model.record(direction === "Sent" ? "sent" : "received", message.id);
      expect(stored[index]).toEqual({ outcome: "stored", sequence });
      model.messages.push({ message, sequence });
    }
  });

const repeat = (pick: number): Command =>
  command(
    `repeat ${pick}`,
    async (model, { store }) => {
      const { message, sequence } = itemAt(model.messages, pick);
      expect(await store.addMessages([message])).toEqual([{ outcome: "stored", sequence }]);
    },
    (model) => model.messages.length > 0,
  );

const remove = (pick: number): Command =>
  command(
    `delete ${pick}`,
    async (model, { store }) => {
      const id = itemAt(idsOfChanges(model), pick);
      expect(await store.deleteMessage(id)).toBe(model.remove(id) ? model.record("deleted", id) : undefined);
    },
    (model) => idsOfChanges(model).length > 0,
  );

/** Returns ids of messages that are or were stored. */
function idsOfChanges({ changes }: Readonly<Model>): readonly MessageId[] {
  return changes.flatMap(({ id }) => id ?? []);
}

function itemAt<Item>(items: readonly Item[], pick: number): Item {
  const item = items[pick % items.length];
  if (item === undefined) throw new Error("the command was not checked");
  return item;
}

const empty = (): Command =>
  command("empty", async (model, { store, server }) => {
    model.messages = [];
    expect(await store.emptyServer(server)).toBe(model.record("emptied", null));
  });

const expire = (rule: ExpiryRule): Command =>
  command(`expire ${JSON.stringify(rule)}`, async (model, { store, server }) => {
    const age = ({ message: { id } }: Held) => decodeMessageId(id).receivedAt;
    const tie = ({ message: { id } }: Held) => decodeMessageId(id).random;
    const oldestFirst = model.messages.toSorted((a, b) => age(a) - age(b) || tie(a) - tie(b));
    const surplus = rule.keepNewest === null ? 0 : oldestFirst.length - rule.keepNewest;
    const expired = oldestFirst.filter((held, index) => index < surplus || age(held) < (rule.receivedBefore ?? 0));
    for (;;) {
      if ((await store.expireMessages(server, rule)) === 0) break;
    }
    model.retired += expired.length;
    for (const { message } of expired) {
      model.remove(message.id);
      model.record("deleted", message.id);
    }
  });

const list = (page: Page): Command =>
  command(`list ${JSON.stringify(page)}`, async (model, { store, server }) => {
    const answer = await store.listMessages(server, page);
    expectPage(
      answer,
      model.select(page, () => true),
      page,
    );
    expect(answer.cursor).toBe(model.changes.length);
  });

const search = (criteria: Criteria, page: Page): Command =>
  command(`search ${JSON.stringify([criteria, page])}`, async (model, { store, server }) => {
    const answer = await store.searchMessages(server, criteriaExpression(criteria), page);
    expectPage(answer, model.select(page, matcher(criteria)), page);
    expect(answer.cursor).toBe(model.changes.length);
  });

const inspect = (sequence: number): Command =>
  command(`inspect ${sequence}`, async (model, { store, server }) => {
    const wanted = sequence % (model.changes.length + 2);
    const expected = wanted > model.changes.length ? undefined : model.changes.slice(wanted);
    expect(await store.listChanges(server, wanted, 1000)).toEqual(expected);
    expect(await store.getServer(server)).toMatchObject({ messages: model.messages.length, retired: model.retired });
  });

const addresses = fc.constantFrom("a@x.test", "b@x.test", "c@x.test");
const words = fc.constantFrom("alpha", "beta", "lpha b", "ß", "", "a", "確認", "%");
const texts = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(" "));
/** Instants within a short range, so that messages share some. */
const instants = fc.integer({ min: 0, max: 60 }).map((offset) => epochMs + offset);
const directions = fc.constantFrom("Received" as const, "Received" as const, "Sent" as const);
const drafts: fc.Arbitrary<Draft> = fc.record({
  at: fc
    .integer({ min: 0, max: 400 })
    .map((offset) => epochMs + offset / 4)
    .map(Math.floor),
  random: fc.integer({ min: 0, max: 3000 }),
  direction: directions,
  from: fc.uniqueArray(addresses, { maxLength: 2 }),
  to: fc.uniqueArray(addresses, { maxLength: 3 }),
  subject: texts,
  body: texts,
  note: fc.uuid(),
});
const pages: fc.Arbitrary<Page> = fc.record({
  page: fc.integer({ min: 0, max: 2 }),
  itemsPerPage: fc.constantFrom(1, 2, 5, 1000),
  receivedAfter: fc.option(
    fc.oneof(
      instants,
      instants.map((ms) => ms + 0.5),
    ),
    { freq: 2 },
  ),
  direction: directions,
  afterSequence: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 1 }),
});
const criteria: fc.Arbitrary<Criteria> = fc
  .record(
    {
      sentFrom: addresses,
      sentTo: addresses,
      subject: words,
      body: words,
      match: fc.constantFrom("ALL" as const, "ANY" as const),
    },
    { requiredKeys: ["match"] },
  )
  .filter((wanted) => Object.keys(wanted).length > 1);
const rules: fc.Arbitrary<ExpiryRule> = fc.record({
  receivedBefore: fc.option(instants),
  keepNewest: fc.option(fc.integer({ min: 0, max: 12 })),
});

/** Sequences of up to 60 commands. The suite runs over four stores, and each run draws new sequences. */
const runCount = 12;

/** Compares random sequences of commands with {@link Model}. */
export function describeModel(open: OpenStore): void {
  const store = useStore(open);

  test("matches the model for any sequence of calls", async () => {
    const commands = fc.commands(
      [
        fc.array(drafts, { minLength: 1, maxLength: 3 }).map(add),
        drafts.map((one) => add([one])),
        drafts.map((one) => add([one])),
        fc.nat(100).map(repeat),
        fc.nat(100).map(remove),
        fc.constant(empty()),
        rules.map(expire),
        pages.map(list),
        pages.map(list),
        fc.tuple(criteria, pages).map(([wanted, page]) => search(wanted, page)),
        fc.tuple(criteria, pages).map(([wanted, page]) => search(wanted, page)),
        fc.tuple(criteria, pages).map(([wanted, page]) => search(wanted, page)),
        fc.nat(100).map(inspect),
      ],
      { maxCommands: 60, size: "max" },
    );
    const property = fc.asyncProperty(commands, async (sequence) => {
      const server = await makeServer(store());
      await fc.asyncModelRun(() => ({ model: new Model(), real: { store: store(), server } }), sequence);
      await store().deleteServer(server);
    });
    await fc.assert(property, { numRuns: runCount });
  });
}
