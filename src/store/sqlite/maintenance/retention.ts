import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import type { ExpiryRule } from "../../store.ts";
import { idsSince } from "../messages/id-range.ts";
import type { MessageWrites } from "../messages/messages.ts";
import { ServerReads } from "../account/servers.ts";

/** Messages deleted in one step, so that mail that arrives meanwhile waits only a few milliseconds. */
const expiredCountPerStep = 200;

interface Aged {
  readonly id: MessageId;
  readonly receivedAt: number;
  readonly random: number;
}

/** Deletes expired messages of a server, for use inside the writer's transaction. */
export class RetentionWrites {
  readonly #servers: ServerReads;
  readonly #messages: MessageWrites;
  readonly #oldest: StatementSync;
  readonly #count: StatementSync;

  constructor(database: DatabaseSync, messages: MessageWrites) {
    this.#servers = new ServerReads(database);
    this.#messages = messages;
    this.#oldest = database.prepare(
      "select id from message where epoch = ? and id between ? and ? order by id limit ? + 0",
    );
    this.#count = database.prepare("update server set retired = retired + ? where number = ?");
  }

  /** Deletes the oldest expired messages of both directions in one step; returns their number. */
  expire(server: ServerId, rule: ExpiryRule): number {
    const position = this.#servers.position(server);
    if (position === undefined) return 0;
    const messageCount = position.receivedCount + position.sentCount;
    const surplus = rule.keepNewest === null ? 0 : Math.max(0, messageCount - rule.keepNewest);
    const candidates = [
      ...this.#aged(server, position.epoch, "Received"),
      ...this.#aged(server, position.epoch, "Sent"),
    ];
    const expired = candidates
      .sort((a, b) => a.receivedAt - b.receivedAt || a.random - b.random)
      .slice(0, expiredCountPerStep)
      .filter(({ receivedAt }, index) => index < surplus || receivedAt < (rule.receivedBefore ?? -Infinity));
    for (const { id } of expired) this.#messages.delete(id);
    if (expired.length > 0) this.#count.run(expired.length, position.number);
    return expired.length;
  }

  #aged(server: ServerId, epoch: number, direction: Direction): readonly Aged[] {
    const { first, last } = idsSince(server, direction, 0);
    return this.#oldest.all(epoch, first, last, expiredCountPerStep).map((row) => {
      const id = idFromBytes(row["id"] as Uint8Array);
      const { receivedAt, random } = decodeMessageId(id);
      return { id, receivedAt, random };
    });
  }
}
