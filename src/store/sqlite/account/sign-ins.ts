/** Browser sessions. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Problem } from "../../../core/errors.ts";
import type { SignIn, SignInStore } from "../../sign-in-store.ts";
import type { Thread } from "../threads/thread.ts";

const columns = "name, kind, key_hash as keyHash, opened_at as openedAt, used_at as usedAt";

/** Queries of sign-ins. */
export class SignInReads {
  readonly #find: StatementSync;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare(`select ${columns} from sign_in where name = ?`);
  }

  find(name: string): SignIn | undefined {
    return toSignIn(this.#find.get(name));
  }
}

/** Calls of the writer thread about sign-ins, as in the contract. */
export interface SignInCalls {
  addSignIn(signIn: Omit<SignIn, "usedAt">, countMax: number): void;
  useSignIn(name: string, at: number): void;
  takeToken(name: string): SignIn | undefined;
  removeSignIn(name: string): boolean;
  forgetSignIns(before: { readonly openedBefore: number; readonly usedBefore: number }): number;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindSignInCalls(database: DatabaseSync): SignInCalls {
  const reads = new SignInReads(database);
  const insert = database.prepare(
    "insert into sign_in (name, kind, key_hash, opened_at, used_at) values (?, ?, ?, ?, ?)",
  );
  const dropOldest = database.prepare(
    `delete from sign_in where name in
       (select name from sign_in where kind = ? and name <> ? order by opened_at desc, name limit -1 offset ?)`,
  );
  const use = database.prepare("update sign_in set used_at = ?2 where name = ?1 and used_at < ?2");
  const take = database.prepare(`delete from sign_in where name = ? and kind = 'token' returning ${columns}`);
  const remove = database.prepare("delete from sign_in where name = ?");
  const forget = database.prepare("delete from sign_in where opened_at < ? or used_at < ?");
  return {
    addSignIn: ({ name, kind, keyHash, openedAt }, countMax) => {
      if (reads.find(name) !== undefined) throw new Problem("conflict");
      insert.run(name, kind, keyHash, openedAt, openedAt);
      dropOldest.run(kind, name, countMax - 1);
    },
    useSignIn: (name, at) => {
      use.run(name, at);
    },
    takeToken: (name) => toSignIn(take.get(name)),
    removeSignIn: (name) => remove.run(name).changes > 0,
    forgetSignIns: ({ openedBefore, usedBefore }) => Number(forget.run(openedBefore, usedBefore).changes),
  };
}

/** Creates the store of sign-ins. */
export function createSignInStore(
  writer: Thread<SignInCalls>,
  read: <Result>(body: (reads: SignInReads) => Result) => Result,
): SignInStore {
  return {
    addSignIn: async (signIn, countMax) => writer.call("addSignIn", [signIn, countMax]),
    findSignIn: async (name) => read((reads) => reads.find(name)),
    useSignIn: async (name, at) => writer.call("useSignIn", [name, at]),
    takeToken: async (name) => writer.call("takeToken", [name]),
    removeSignIn: async (name) => writer.call("removeSignIn", [name]),
    forgetSignIns: async (before) => writer.call("forgetSignIns", [before]),
  };
}

function toSignIn(row: unknown): SignIn | undefined {
  return row === undefined ? undefined : { ...(row as SignIn) };
}
