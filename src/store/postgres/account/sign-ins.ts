import { Problem } from "../../../core/errors.ts";
import type { SignIn, SignInKind, SignInStore } from "../../sign-in-store.ts";
import type { Database } from "../connection/database.ts";

interface SignInRow {
  readonly name: string;
  readonly kind: SignInKind;
  readonly key_hash: string;
  readonly opened_at: number;
  readonly used_at: number;
}

const columns = "name, kind, key_hash, opened_at, used_at";

/** Browser sessions of all nodes. */
export class SignIns implements SignInStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async addSignIn({ name, kind, keyHash, openedAt }: Omit<SignIn, "usedAt">, countMax: number): Promise<void> {
    await this.#database.transact(async (session) => {
      const [added] = await session.query(
        `insert into sign_in (${columns}) values ($1, $2, $3, $4, $4) on conflict do nothing returning name`,
        [name, kind, keyHash, openedAt],
      );
      if (added === undefined) throw new Problem("conflict");
      const oldest = await session.query<{ name: string }>(
        "select name from sign_in where kind = $1 and name <> $2 order by opened_at desc, name offset $3",
        [kind, name, countMax - 1],
      );
      if (oldest.length === 0) return;
      await session.query("delete from sign_in where name = any($1::text[])", [oldest.map((row) => row.name)]);
    });
  }

  async findSignIn(name: string): Promise<SignIn | undefined> {
    const [row] = await this.#database.query<SignInRow>(`select ${columns} from sign_in where name = $1`, [name]);
    return toSignIn(row);
  }

  async useSignIn(name: string, at: number): Promise<void> {
    await this.#database.query("update sign_in set used_at = $2 where name = $1 and used_at < $2", [name, at]);
  }

  async takeToken(name: string): Promise<SignIn | undefined> {
    const [row] = await this.#database.query<SignInRow>(
      `delete from sign_in where name = $1 and kind = 'token' returning ${columns}`,
      [name],
    );
    return toSignIn(row);
  }

  async removeSignIn(name: string): Promise<boolean> {
    return (await this.#database.query("delete from sign_in where name = $1 returning name", [name])).length > 0;
  }

  async forgetSignIns({ openedBefore, usedBefore }: Parameters<SignInStore["forgetSignIns"]>[0]): Promise<number> {
    const rows = await this.#database.query("delete from sign_in where opened_at < $1 or used_at < $2 returning name", [
      openedBefore,
      usedBefore,
    ]);
    return rows.length;
  }
}

function toSignIn(row: SignInRow | undefined): SignIn | undefined {
  if (row === undefined) return undefined;
  const { name, kind, key_hash: keyHash, opened_at: openedAt, used_at: usedAt } = row;
  return { name, kind, keyHash, openedAt, usedAt };
}
