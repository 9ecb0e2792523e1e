import { lowerBound } from "../identity-arrays.ts";
import { mainTurns } from "../../../core/shared-turns.ts";
import { Problem } from "../../../core/errors.ts";
import { FairQueue } from "../../../core/fair-queue.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import { isWithinLimits, type SearchExpression } from "../../../core/search/search-expression.ts";
import { identityCountMax } from "../../../store/mark-store.ts";
import type { Context } from "../../context.ts";
import { costlyStepCount, planQuery, readMailFacts } from "./mailbox-query.ts";
import type { MailboxPlan, MailboxQuery, MailFacts } from "./mailbox-query.ts";

/** Steps of one search that the store executes or that read mails. */
export const costlyStepCountMax = 50;
/** Mails that are read before another key gets its turn. */
const mailCountPerTurn = 20;
/** Changed marks that are read at a time. */
const markCountPerPage = 1000;

/** Messages in which a client searches: the mailbox as it knows it. */
export interface SearchedMessages {
  readonly server: ServerId;
  readonly direction: Direction;
  /** UIDs in ascending order; they are the sequence numbers of the messages. */
  readonly uids: Uint32Array;
  /** Returns the id of a message; undefined when it no longer exists. */
  readonly idOf: (uid: number) => MessageId | undefined;
  /** Returns the UIDs of the given messages, without those that are not in the mailbox. */
  readonly uidsOf: (ids: Iterable<MessageId>) => ReadonlyMap<MessageId, number>;
}

/** Caller of a search: keys are served round-robin; the signal aborts when the client has disconnected. */
export interface SearchCaller {
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Searches in mailboxes. */
export interface MailboxSearch {
  /**
   * Returns the UIDs of the messages that match, ascending. Exact for what the store had committed when the call began.
   * Rejects with `limit_reached` for a query with too many steps, with `unavailable` or the reason of the signal when it
   * aborts, and with the problems of the store.
   */
  search(messages: SearchedMessages, query: MailboxQuery, caller: SearchCaller): Promise<readonly number[]>;
}

/** Creates the search in mailboxes. Mails of one key are read at a time, a few before the next key. */
export function createMailboxSearch(context: Context): MailboxSearch {
  const turns = new FairQueue({ runningCountMax: 1, waitingPerKeyCountMax: 100, waitingCountMax: 1000 });
  return {
    async search(messages, query, caller) {
      const plan = planQuery(query);
      if (costlyStepCount(plan) > costlyStepCountMax) throw tooComplex();
      const all = new Uint8Array(messages.uids.length).fill(1);
      const found = await new Evaluation({ context, turns, messages, caller }).evaluate(plan, all);
      return Array.from(messages.uids).filter((_, at) => found[at] === 1);
    },
  };
}

function tooComplex(): Problem {
  return new Problem("limit_reached", { text: "The search has too many conditions; divide it" });
}

interface EvaluationParts {
  readonly context: Context;
  readonly turns: FairQueue;
  readonly messages: SearchedMessages;
  readonly caller: SearchCaller;
}

/** Set of messages: 1 at the positions of those that it contains. */
type Selection = Uint8Array;

class Evaluation {
  readonly #parts: EvaluationParts;

  constructor(parts: EvaluationParts) {
    this.#parts = parts;
  }

  /** Returns those of the candidates that match. */
  async evaluate(plan: MailboxPlan, candidates: Selection): Promise<Selection> {
    this.#parts.caller.signal.throwIfAborted();
    if (plan.kind === "and") {
      let rest = candidates;
      for (const one of plan.of) rest = rest.includes(1) ? await this.evaluate(one, rest) : rest;
      return rest;
    }
    if (plan.kind === "or") return await this.#evaluateAny(plan.of, candidates);
    if (plan.kind === "not") return without(candidates, await this.evaluate(plan.of, candidates));
    if (plan.kind === "uids") {
      return candidates.map((is, at) => (is === 1 && plan.has(this.#uidAt(at)) ? 1 : 0));
    }
    if (plan.kind === "modSequence") return await this.#findChanged(plan.from, candidates);
    if (plan.kind === "mail") return await this.#readMails(plan.meets, candidates);
    return candidates.includes(1) ? await this.#evaluateStored(plan.expression, candidates) : candidates;
  }

  async #evaluateStored(expression: SearchExpression, candidates: Selection): Promise<Selection> {
    if (expression.kind === "always") return candidates;
    // An index finds the messages that have a term, not those that lack it, which are usually nearly all.
    return expression.kind === "not"
      ? without(candidates, await this.#evaluateStored(expression.of, candidates))
      : await this.#searchStore(expression, candidates);
  }

  async #evaluateAny(plans: readonly MailboxPlan[], candidates: Selection): Promise<Selection> {
    const found = new Uint8Array(candidates.length);
    for (const one of plans) {
      const more = await this.evaluate(one, without(candidates, found));
      for (const [at, is] of more.entries()) if (is === 1) found[at] = 1;
    }
    return found;
  }

  async #searchStore(expression: SearchExpression, candidates: Selection): Promise<Selection> {
    if (!isWithinLimits(expression)) throw tooComplex();
    const { context, messages, caller } = this.#parts;
    const found = new Uint8Array(candidates.length);
    const first = candidates.indexOf(1);
    const page = {
      page: 0,
      itemsPerPage: identityCountMax,
      receivedAfter: null,
      direction: messages.direction,
      // Only for a few new messages: the comparison costs more than it saves otherwise.
      afterSequence: first > candidates.length / 2 ? this.#uidAt(first) - 1 : null,
      caller: caller.key,
      signal: caller.signal,
    };
    let before: MessageId | undefined;
    for (let isMore = true; isMore;) {
      const within = before === undefined ? page : { ...page, before };
      const { identities, hasMore } = await context.store.findMessages(messages.server, expression, within);
      for (const { sequence } of identities) {
        const at = this.#positionOf(sequence);
        if (at !== undefined) found[at] = candidates[at] ?? 0;
      }
      before = identities.at(-1)?.id;
      isMore = hasMore && before !== undefined;
    }
    return found;
  }

  async #findChanged(from: number, candidates: Selection): Promise<Selection> {
    const { context, messages } = this.#parts;
    const found = candidates.map((is, at) => (is === 1 && this.#uidAt(at) >= from ? 1 : 0));
    for (let after = Math.max(0, from - 1), isMore = true; isMore;) {
      const marked = await context.store.marks.listMarks(messages.server, after, markCountPerPage);
      for (const uid of messages.uidsOf(marked.map(({ id }) => id)).values()) {
        const at = this.#positionOf(uid);
        if (at !== undefined) found[at] = candidates[at] ?? 0;
      }
      after = marked.at(-1)?.sequence ?? after;
      isMore = marked.length >= markCountPerPage;
    }
    return found;
  }

  async #readMails(meets: (facts: MailFacts) => boolean, candidates: Selection): Promise<Selection> {
    const { turns, caller } = this.#parts;
    const found = new Uint8Array(candidates.length);
    for (let at = candidates.indexOf(1); at !== -1;) {
      const turn: number[] = [];
      for (; at !== -1 && turn.length < mailCountPerTurn; at = candidates.indexOf(1, at + 1)) turn.push(at);
      await turns.run(caller.key, () => this.#readTurn(turn, { meets, found }), caller.signal);
    }
    return found;
  }

  async #readTurn(
    positions: readonly number[],
    { meets, found }: { readonly meets: (facts: MailFacts) => boolean; readonly found: Selection },
  ): Promise<void> {
    const { context, messages } = this.#parts;
    for (const at of positions) {
      const id = messages.idOf(this.#uidAt(at));
      await mainTurns.next();
      const facts = id === undefined ? undefined : await readMailFacts(context, id);
      if (facts !== undefined && meets(facts)) found[at] = 1;
    }
  }

  #uidAt(position: number): number {
    return this.#parts.messages.uids[position] ?? 0;
  }

  /** Returns the position of a message; undefined when the client does not know it. */
  #positionOf(uid: number): number | undefined {
    const { uids } = this.#parts.messages;
    const at = lowerBound(uids, uid);
    return uids[at] === uid ? at : undefined;
  }
}

function without(all: Selection, excluded: Selection): Selection {
  return all.map((is, at) => (is === 1 && excluded[at] !== 1 ? 1 : 0));
}
