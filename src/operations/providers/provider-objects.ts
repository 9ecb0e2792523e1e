/** Objects of a provider's API that belong to a caller: templates, identities, verifications. */
import { invalidField } from "../../core/errors.ts";
import type { ProviderObject, ProviderObjects } from "../../providers/email.ts";
import type {
  ProviderObjectKey,
  ProviderObjectScope,
  StoredProviderObject,
} from "../../store/provider-object-store.ts";
import type { Context } from "../context.ts";
import type { ProviderCaller } from "./provider-caller.ts";

/** Bounds of an object. */
const kindLengthMax = 40;
const idLengthMax = 200;
const jsonBytesMax = 1024 * 1024;
/** Maximum number of objects of one kind that a server, or the account, has at a provider. */
const objectCountMax = 10_000;
const listCountMax = 1000;

/** Returns the objects of a caller. Rejects with a 400 that names `kind`, `id` or `value` when it is too long. */
export function openProviderObjects(
  { store, clock }: Pick<Context, "store" | "clock">,
  { provider, principal: { server } }: ProviderCaller,
): ProviderObjects {
  const { providerObjects } = store;
  const scopeOf = (kind: string): ProviderObjectScope => ({ provider, server, kind });
  return {
    get: async (kind, id) => {
      const key = { ...scopeOf(kind), id };
      if (!isValid(key)) return undefined;
      const own = await providerObjects.getObject(key, clock.now());
      if (own !== undefined || server === null) return toObject(own);
      return toObject(await providerObjects.getObject({ ...key, server: null }, clock.now()));
    },
    list: async (kind, offset = 0) => {
      const page = { offset, limit: listCountMax, now: clock.now() };
      const objects = await providerObjects.listObjects(scopeOf(kind), page);
      return objects.flatMap((one) => toObject(one) ?? []);
    },
    put: async (kind, id, { value, version = null, expiresAt = null }) => {
      const key = { ...scopeOf(kind), id };
      if (!isValid(key)) throw invalidField(id.length > idLengthMax ? "id" : "kind", "Too long or empty", "too_long");
      const json = JSON.stringify(value ?? null);
      if (Buffer.byteLength(json) > jsonBytesMax) {
        throw invalidField("value", `At most ${String(jsonBytesMax)} bytes of JSON`, "too_long");
      }
      return providerObjects.putObject({
        ...key,
        json,
        expiresAt,
        version,
        now: clock.now(),
        countMax: objectCountMax,
      });
    },
    remove: async (kind, id) => providerObjects.removeObject({ ...scopeOf(kind), id }, clock.now()),
  };
}

function isValid({ kind, id }: ProviderObjectKey): boolean {
  return kind !== "" && kind.length <= kindLengthMax && id !== "" && id.length <= idLengthMax;
}

function toObject(stored: StoredProviderObject | undefined): ProviderObject | undefined {
  if (stored === undefined) return undefined;
  const { kind, id, json, version, createdAt } = stored;
  return { kind, id, value: JSON.parse(json) as unknown, version, createdAt };
}
