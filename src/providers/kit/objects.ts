/** Objects of a provider's API that are not messages, such as templates. */
import { randomInt } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { EmailSession, ObjectChange, ProviderObject, ProviderObjects } from "../email.ts";
import { derivedHex } from "../formats/callback-values.ts";

type Owner = Pick<EmailSession, "objects">;

const listSizeMax = 1000;

/** Ids that objects may have; the store is not asked for others, such as those with NUL. */
const possibleId = /^(?=.*\S)[^\p{Cc}\p{Cs}]{1,200}$/u;

/** Object with a value of a known type. */
export type CollectedObject<Value> = ProviderObject & { readonly value: Value };

/** Objects of one kind that belong to a caller. */
export class Collection<Value> {
  readonly #objects: ProviderObjects;
  readonly #kind: string;

  constructor({ objects }: Owner, kind: string) {
    this.#objects = objects;
    this.#kind = kind;
  }

  /** Returns an object; undefined without one. */
  async get(id: string): Promise<CollectedObject<Value> | undefined> {
    if (!possibleId.test(id)) return undefined;
    return (await this.#objects.get(this.#kind, id)) as CollectedObject<Value> | undefined;
  }

  /** Returns the value of an object; undefined without one. */
  async find(id: string): Promise<Value | undefined> {
    return (await this.get(id))?.value;
  }

  /** Returns the value of an object; throws the error that `missing` returns without one. */
  async open(id: string, missing: () => Error): Promise<Value> {
    return present(await this.find(id), missing);
  }

  /** Returns objects in the order of their creation, at most 1000 after skipping `offset`. */
  async page(offset: number): Promise<readonly CollectedObject<Value>[]> {
    return (await this.#objects.list(this.#kind, offset)) as readonly CollectedObject<Value>[];
  }

  /** Returns all objects in the order of their creation. */
  async objects(): Promise<readonly CollectedObject<Value>[]> {
    const found: CollectedObject<Value>[] = [];
    for (;;) {
      const page = await this.page(found.length);
      found.push(...page);
      if (page.length < listSizeMax) return found;
    }
  }

  /** Returns the values of all objects in the order of their creation. */
  async all(): Promise<readonly Value[]> {
    return (await this.objects()).map(({ value }) => value);
  }

  /** Creates an object; false when there is one with this id. */
  async create(id: string, value: Value, options: Pick<ObjectChange, "expiresAt"> = {}): Promise<boolean> {
    return this.#objects.put(this.#kind, id, { value, version: 0, ...options });
  }

  /** Creates or replaces an object. */
  async put(id: string, value: Value): Promise<void> {
    await this.#objects.put(this.#kind, id, { value });
  }

  /**
   * Replaces the value of an object by what `change` returns for it, also while other requests change it; undefined without
   * an object. Rejects as {@link changeObject} does.
   */
  async change(
    id: string,
    change: (value: Value) => Value,
    options: Pick<ObjectChange, "expiresAt"> = {},
  ): Promise<Value | undefined> {
    return changeObject<Value | undefined>(this.#objects, { kind: this.#kind, id }, (present) => {
      if (present === undefined) return { result: undefined };
      const value = change(present as Value);
      return { result: value, change: { value, ...options } };
    });
  }

  /** Removes an object; false when there is none. */
  async remove(id: string): Promise<boolean> {
    return possibleId.test(id) && this.#objects.remove(this.#kind, id);
  }
}

/** Returns the function that opens the objects of a kind that belong to a caller. */
export function collectionOf<Value>(kind: string): (call: { readonly session: Owner }) => Collection<Value> {
  return ({ session }) => new Collection(session, kind);
}

/** Objects that are found by their id or their alias, both of which are unique. */
export class AliasedCollection<Value> extends Collection<Value> {
  readonly #ids: Collection<string>;
  readonly #aliasOf: (value: Value) => string | null;

  /** `aliasOf` returns the alias of an object; null without one. */
  constructor(owner: Owner, kind: string, aliasOf: (value: Value) => string | null) {
    super(owner, kind);
    this.#ids = new Collection(owner, `${kind} alias`);
    this.#aliasOf = aliasOf;
  }

  /** Returns the value with an id or an alias; undefined without one. */
  async findAny(idOrAlias: string): Promise<Value | undefined> {
    const own = await this.find(idOrAlias);
    const id = own === undefined ? await this.#ids.find(keyOf(idOrAlias)) : undefined;
    return id === undefined ? own : this.find(id);
  }

  /** As {@link open}, by an id or an alias. */
  async openAny(idOrAlias: string, missing: () => Error): Promise<Value> {
    return present(await this.findAny(idOrAlias), missing);
  }

  /** Creates an object, or replaces `before`; false when another object has the alias. */
  async store(id: string, value: Value, before?: Value): Promise<boolean> {
    const alias = this.#aliasOf(value);
    const old = before === undefined ? null : this.#aliasOf(before);
    const added = alias === old ? null : alias;
    if (added !== null && !(await this.#ids.create(keyOf(added), id))) return false;
    await this.put(id, value).catch(async (error: unknown) => {
      if (added !== null) await this.#ids.remove(keyOf(added));
      throw error;
    });
    if (old !== null && old !== alias) await this.#ids.remove(keyOf(old));
    return true;
  }

  /** Creates an object whose id is a random number from `min` to below `max`; undefined when another object has the alias. */
  async createNumbered(min: number, max: number, valueOf: (id: number) => Value): Promise<Value | undefined> {
    for (let attempt = 0; attempt < attemptCountMax; attempt += 1) {
      const id = randomInt(min, max);
      const value = valueOf(id);
      if (!(await this.create(String(id), value))) continue;
      const alias = this.#aliasOf(value);
      if (alias === null || (await this.#ids.create(keyOf(alias), String(id)))) return value;
      await this.remove(String(id));
      return undefined;
    }
    throw busy();
  }

  /** Removes an object and its alias. */
  async discard(id: string, value: Value): Promise<void> {
    const alias = this.#aliasOf(value);
    await this.remove(id);
    if (alias !== null) await this.#ids.remove(keyOf(alias));
  }
}

/** As {@link collectionOf}, for objects with an alias; `aliasOf` returns it, null without one. */
export function aliasedCollectionOf<Value>(
  kind: string,
  aliasOf: (value: Value) => string | null,
): (call: { readonly session: Owner }) => AliasedCollection<Value> {
  return ({ session }) => new AliasedCollection(session, kind, aliasOf);
}

function present<Value>(value: Value | undefined, missing: () => Error): Value {
  if (value === undefined) throw missing();
  return value;
}

/** Aliases may be longer than ids of objects. */
function keyOf(alias: string): string {
  return derivedHex(64, alias);
}

/** Place of an object among those of a provider. */
export type ObjectPlace = Pick<ProviderObject, "kind" | "id">;

/** Result of a decision about an object, and its new value; without `change` the object stays as it is. */
export interface ObjectDecision<Result> {
  readonly result: Result;
  /** `expiresAt` at the present instant removes the object. */
  readonly change?: Omit<ObjectChange, "version">;
}

/** Each lost comparison means that another request changed the object. */
const attemptCountMax = 50;

/**
 * Changes an object as `decide` returns for its value, undefined when there is none; decides again when another request
 * changed the object in between, so that parallel requests count. Rejects with `too_many_requests` when that happens too
 * often, which includes an object of the account that a restricted key cannot change.
 */
export async function changeObject<Result>(
  objects: ProviderObjects,
  { kind, id }: ObjectPlace,
  decide: (value: unknown) => ObjectDecision<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < attemptCountMax; attempt += 1) {
    const present = await objects.get(kind, id);
    const { result, change } = decide(present?.value);
    const isDone = change === undefined || (await objects.put(kind, id, { ...change, version: present?.version ?? 0 }));
    if (isDone) return result;
  }
  throw busy();
}

function busy(): Problem {
  return new Problem("too_many_requests", { retryAfterSeconds: 1 });
}
