import type { MessageId } from "../../../core/ids.ts";
import type { Reparse, ReparseClaim, ReparseStore } from "../../reparse-store.ts";
import type { NewMessage } from "../../store.ts";
import { claims } from "../../leased-tables.ts";
import { takeDueWork } from "../quarantine/quarantine.ts";
import type { DueWork } from "../../../core/quarantine.ts";
import { uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { bytesOf } from "./id-slots.ts";

/** Queue of mails to be parsed again; `replace` is that of the messages. */
export class Reparses implements ReparseStore {
  readonly #database: Database;
  readonly #replace: (message: NewMessage) => Promise<number | undefined>;

  constructor(database: Database, replace: (message: NewMessage) => Promise<number | undefined>) {
    this.#database = database;
    this.#replace = replace;
  }

  async claimReparses({ now, leasedUntil, countMax }: ReparseClaim): Promise<readonly Reparse[]> {
    return await this.#database.transact(async (session) => {
      const found = await session.query<{ message: MessageId } & DueWork>(
        `select message, open_claims as "openClaims" from reread where due_at <= $1 and ${claims.mayTake}
         order by due_at, message limit $2 for update skip locked`,
        [now, countMax],
      );
      const due = await takeDueWork(session, "reparses", { due: found, now });
      if (due.length === 0) return [];
      return await session.query<Reparse>(
        `update reread set attempts = attempts + 1, ${claims.taken}, due_at = $1 where message = any($2::uuid[])
         returning message, attempts`,
        [leasedUntil, uuidArray(due.map(({ message }) => bytesOf(message).id))],
      );
    });
  }

  async postponeReparse(message: MessageId, dueAt: number | null): Promise<void> {
    if (dueAt === null) await removeReparse(this.#database, message);
    else
      await this.#database.query(`update reread set due_at = $2, ${claims.ended} where message = $1`, [message, dueAt]);
  }

  async countReparses(): Promise<number> {
    const [row] = await this.#database.query<{ count: number }>(
      "select count(*)::int4 as count from reread where due_at is not null",
    );
    return row?.count ?? 0;
  }

  async replaceMessage(message: NewMessage): Promise<number | undefined> {
    return await this.#replace(message);
  }
}

/** Removes the entry of a message. */
export async function removeReparse(session: Session, message: MessageId): Promise<void> {
  await session.query("delete from reread where message = $1", [message]);
}

/** Adds entries of messages in the transaction that stores them. */
export async function addReparses(session: Session, messages: readonly MessageId[], dueAt: number): Promise<void> {
  if (messages.length === 0) return;
  await session.query(
    `insert into reread (message, attempts, due_at) select id, 0, $2 from unnest($1::uuid[]) as m(id)
     on conflict (message) do nothing`,
    [uuidArray(messages.map((message) => bytesOf(message).id)), dueAt],
  );
}
