import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Problem } from "../../../core/errors.ts";
import type { ServerQuota } from "../../../core/server.ts";
import { methodOf, type CallRequest, type CallResponse } from "../../threads/call-protocol.ts";
import type { WriterCalls } from "./calls.ts";
import { RecentGramWrites } from "../../signatures/recent-grams.ts";
import { Journal } from "../messages/changes.ts";
import type { CommitCount } from "../connection/commit-count.ts";
import { serializeSqliteError } from "../connection/errors.ts";
import { MessageWrites } from "../messages/messages.ts";
import { decodeBatch } from "../messages/message-batch.ts";
import { StorageGuard } from "../maintenance/storage-guard.ts";
import { SegmentWrites } from "../text-index/segment-writes.ts";
import { queryOf } from "../../sql/calls.ts";

/** Free space without which the store counts as full. */
const probeBytes = 64 * 1024;

/** Options of a {@link Writer}. */
export interface WriterOptions {
  /** Quota of servers without one of their own. */
  readonly quota?: ServerQuota | undefined;
  /** Count of commits with mails; null for stores that may be lost. */
  readonly commitCount?: CommitCount | null;
  /** Filters of the messages that were stored last, for the searches of another thread. */
  readonly recent?: RecentGramWrites;
}

/** Executes calls in transactions: one for all that are waiting (group commit). */
export class Writer {
  readonly journal: Journal;
  readonly #calls: WriterCalls;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #database: DatabaseSync;

  readonly #guard: StorageGuard;
  readonly #commitCount: CommitCount | null;
  readonly #recent: RecentGramWrites;
  readonly #messages: MessageWrites;

  constructor(
    database: DatabaseSync,
    guard: StorageGuard = new StorageGuard(database, null, () => undefined),
    { quota, commitCount = null, recent = new RecentGramWrites() }: WriterOptions = {},
  ) {
    this.#database = database;
    this.#guard = guard;
    this.#commitCount = commitCount;
    this.#begin = database.prepare("begin immediate");
    this.#commit = database.prepare("commit");
    this.#rollback = database.prepare("rollback");
    this.journal = new Journal(database);
    this.#recent = recent;
    this.#messages = new MessageWrites(database, this.journal, { quota, recent });
    this.#calls = bindCalls(database, this.#messages);
  }

  /**
   * Executes all calls in one transaction. When it fails, it is rolled back and each call gets its own transaction, so
   * that only calls that cannot succeed fail.
   */
  run(requests: readonly CallRequest[]): readonly CallResponse[] {
    const count = requests.some(({ name }) => name === "addMessages") ? this.#commitCount : null;
    try {
      const responses = this.transact(() => {
        count?.increase();
        return requests.map((request) => this.#perform(request));
      });
      count?.confirm();
      return responses;
    } catch (error) {
      const isNewlyFull = this.#guard.noticeFailure(error);
      const [only, second] = requests;
      if (only !== undefined && second === undefined) {
        if (isNewlyFull && !this.#guard.rejects(methodOf(only))) return this.run(requests);
        return [{ number: only.number, error: serializeSqliteError(error) }];
      }
      return requests.flatMap((request) => this.run([request]));
    }
  }

  /** Runs `body` in one transaction, which is rolled back when it throws. */
  transact<Result>(body: () => Result): Result {
    this.#begin.run();
    try {
      const result = body();
      this.#messages.countUsage();
      this.#commit.run();
      this.#recent.publish();
      return result;
    } catch (error) {
      this.#recent.discard();
      this.#messages.discardUsage();
      // SQLite has already rolled back when the disk is full.
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
  }

  /** A `Problem` is a response: calls throw it before they write, so nothing needs to be rolled back. */
  #perform(request: CallRequest): CallResponse {
    try {
      if (this.#guard.rejects(methodOf(request))) throw new Problem("storage_full");
      const call = this.#calls[request.name as keyof WriterCalls] as (...parameters: readonly unknown[]) => unknown;
      return { number: request.number, result: call(...request.parameters) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { number: request.number, error: serializeSqliteError(error) };
    }
  }
}

function bindCalls(database: DatabaseSync, messages: MessageWrites): WriterCalls {
  const segments = new SegmentWrites(database);
  const count = database.prepare("update state set probe = probe + 1");
  const fill = database.prepare("insert into probe (filler) values (zeroblob(?))");
  const clear = database.prepare("delete from probe");
  return {
    changeRecord: (kind, method, parameters) => {
      // It may read the usage.
      messages.countUsage();
      return messages.run(queryOf(messages.records[kind], method, parameters));
    },
    addMessages: (batch, companions) => messages.add(decodeBatch(batch), companions),
    deleteMessage: (id) => messages.delete(id),
    replaceMessage: (batch) => {
      const [message] = decodeBatch(batch);
      return message === undefined ? undefined : messages.replace(message);
    },
    expireMessages: (server, rule) => messages.expire(server, rule),
    writeSegment: (write) => segments.perform(write),
    ready: () => {
      // Only the response matters.
    },
    probe: () => {
      count.run();
      fill.run(probeBytes);
      clear.run();
    },
  };
}
