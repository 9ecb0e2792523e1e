import type { MessageId } from "../../../core/ids.ts";
import type { IdempotentRequest, IdempotencyStore } from "../../permission-stores.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";

interface RepeatableRow {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly message: MessageId;
  readonly at: number;
}

const columns = "scope, key, fingerprint, message, at";

/** Requests that may be repeated. */
export class Idempotency implements IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async findIdempotentRequest(scope: string, key: string): Promise<IdempotentRequest | undefined> {
    return await findIdempotentRequest(this.#database, scope, key);
  }

  async deleteIdempotentRequests(before: number): Promise<number> {
    return (await this.#database.query("delete from repeatable where at < $1 returning at", [before])).length;
  }
}

/** Whether the transaction may store the message of a request: false when another was made for the same scope and key. */
export async function isRepeatableFree(session: Session, { scope, key, message }: IdempotentRequest): Promise<boolean> {
  const found = await findIdempotentRequest(session, scope, key);
  return found === undefined || found.message === message;
}

/** Remembers a request in the transaction of its message; false when another was made for the same scope and key. */
export async function addRepeatable(session: Session, repeatable: IdempotentRequest): Promise<boolean> {
  const { scope, key, fingerprint, message, at } = repeatable;
  await session.query(
    `insert into repeatable (${columns}) values ($1, $2, $3, $4, $5) on conflict (scope, key) do nothing`,
    [toText(scope), toText(key), toText(fingerprint), message, at],
  );
  return await isRepeatableFree(session, repeatable);
}

async function findIdempotentRequest(
  session: Session,
  scope: string,
  key: string,
): Promise<IdempotentRequest | undefined> {
  const [row] = await session.query<RepeatableRow>(`select ${columns} from repeatable where scope = $1 and key = $2`, [
    toText(scope),
    toText(key),
  ]);
  if (row === undefined) return undefined;
  const { message, at } = row;
  return {
    scope: fromText(row.scope),
    key: fromText(row.key),
    fingerprint: fromText(row.fingerprint),
    message,
    at,
  };
}
