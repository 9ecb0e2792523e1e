import { Problem } from "../../core/errors.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import type { SignIn, SignInStore } from "../sign-in-store.ts";
import { DialectRows } from "../sql/dialect.ts";

const columns = `name, kind, key_hash as "keyHash", opened_at as "openedAt", used_at as "usedAt"`;

/** Statements about browser sessions. Their guarantees are those of `SignInStore`. */
export class SignInRows extends DialectRows {
  *addSignIn({ name, kind, keyHash, openedAt }: Omit<SignIn, "usedAt">, countMax: number): Query<void> {
    const added = yield* rowsOf(
      `insert into sign_in (name, kind, key_hash, opened_at, used_at) values ($1, $2, $3, $4, $4)
       on conflict do nothing returning name`,
      [name, kind, keyHash, openedAt],
    );
    if (added.length === 0) throw new Problem("conflict");
    const oldest = yield* rowsOf<Pick<SignIn, "name">>(
      `select name from sign_in where kind = $1 and name <> $2
       order by opened_at desc, name limit ${Number.MAX_SAFE_INTEGER} offset cast($3 as integer)`,
      [kind, name, countMax - 1],
    );
    if (oldest.length === 0) return;
    const names = this.dialect.list(oldest.map((row) => row.name));
    yield* rowsOf(`delete from sign_in where ${this.dialect.isAmong("name", "$1", "text")}`, [names]);
  }

  *findSignIn(name: string): Query<SignIn | undefined> {
    return copyOf(yield* rowsOf<SignIn>(`select ${columns} from sign_in where name = $1`, [name]));
  }

  *useSignIn(name: string, at: number): Query<void> {
    yield* rowsOf("update sign_in set used_at = $2 where name = $1 and used_at < $2", [name, at]);
  }

  *takeToken(name: string): Query<SignIn | undefined> {
    const sql = `delete from sign_in where name = $1 and kind = 'token' returning ${columns}`;
    return copyOf(yield* rowsOf<SignIn>(sql, [name]));
  }

  *removeSignIn(name: string): Query<boolean> {
    return (yield* rowsOf("delete from sign_in where name = $1 returning name", [name])).length > 0;
  }

  *forgetSignIns({ openedBefore, usedBefore }: Parameters<SignInStore["forgetSignIns"]>[0]): Query<number> {
    const sql = "delete from sign_in where opened_at < $1 or used_at < $2 returning name";
    return (yield* rowsOf(sql, [openedBefore, usedBefore])).length;
  }
}

function copyOf([row]: readonly SignIn[]): SignIn | undefined {
  return row && { ...row };
}
