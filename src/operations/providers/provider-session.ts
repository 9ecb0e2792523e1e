import { invalidField, notFound, Problem } from "../../core/errors.ts";
import type { ProviderObject, ProviderObjects } from "../../providers/email.ts";
import type { ProviderSession } from "../../providers/provider.ts";
import type {
  ProviderObjectKey,
  ProviderObjectScope,
  StoredProviderObject,
} from "../../store/provider-object-store.ts";
import type { Context } from "../context.ts";
import { openMailboxSubscriptions } from "./mailbox-subscriptions.ts";
import { openProviderMailbox } from "./provider-mailbox.ts";
import { openProviderWebhooks } from "./provider-webhooks.ts";
import { getAttachment, getRawMessage } from "../services/reading/get-message.ts";
import { listServers } from "../servers/servers.ts";
import { captureSms, hasOptedOut } from "./capture-sms.ts";
import { findSms, listSms, toStoredSms } from "./list-sms.ts";
import { respondOnce } from "./respond-once.ts";
import { cancelEmail, getEmail, rescheduleEmail } from "./scheduled-email.ts";
import { findStoredEmail, listEmails } from "./stored-emails.ts";
import { submitEmails } from "./submit-emails.ts";
import { createHash } from "node:crypto";
import type { PlainPrincipal, Principal } from "../../core/api-key.ts";
import type { RequestTranscript } from "../../core/transcript.ts";
import { narrowTo, requireScope, serversOf } from "../services/security/access.ts";
import { authenticate, type Credentials, findKey } from "../services/security/authenticate.ts";
import { hashKey } from "../services/security/stored-secrets.ts";
import type { RequestFaults } from "./request-faults.ts";

/** Bounds of an object. */
const kindLengthMax = 40;
const idLengthMax = 200;
const jsonBytesMax = 1024 * 1024;
/** Maximum number of objects of one kind that a server, or the account, has at a provider. */
const objectCountMax = 10_000;
const listCountMax = 1000;

/** Returns the objects of a caller. Rejects with a 400 that names `kind`, `id` or `value` when it is too long. */
export function openProviderObjects(
  { store, clock }: Context,
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

/** Returns the session of a caller with the messages and objects of its provider. */
export function openProviderSession(context: Context, caller: ProviderCaller): ProviderSession {
  const { principal, provider, isKnown } = caller;
  const objects = openProviderObjects(context, caller);
  /** Returns a change before which the faults of the request apply. */
  const faulted =
    <Given extends readonly unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await caller.faults?.beforeChange();
      return change(...given);
    };
  return {
    keyId: principal.keyId,
    submitSms: async (sms) => captureSms(context, caller, sms),
    hasOptedOut: async (number) => hasOptedOut(context, principal, number),
    getSms: async (id) => findSms(context, caller, id),
    getMedia: async (id) => (await getAttachment(context, principal, id)).bytes,
    listSms: async (filter) => {
      const { texts, hasMore } = await listSms(context, principal, { ...filter, provider: isKnown ? null : provider });
      return { messages: texts.map(toStoredSms), hasMore };
    },
    submitEmails: async (emails) => submitEmails(context, caller, emails),
    getEmail: async (uuid) => getEmail(context, caller, uuid),
    getRaw: async (uuid) => {
      const stored = await findStoredEmail(context, caller, uuid);
      if (stored === undefined || stored.id === null) throw notFound("Message");
      return getRawMessage(context, principal, stored.id);
    },
    listEmails: async (filter) => listEmails(context, caller, filter),
    rescheduleEmail: faulted(async (uuid, sendAt) => rescheduleEmail(context, caller, { uuid, sendAt })),
    cancelEmail: faulted(async (uuid) => cancelEmail(context, caller, uuid)),
    objects: { ...objects, put: faulted(objects.put), remove: faulted(objects.remove) },
    listServers: async () => {
      if (!isKnown) throw new Problem("unauthenticated");
      return listServers(context, principal);
    },
    subscriptions: openMailboxSubscriptions(context, caller),
    webhooks: openProviderWebhooks(context, caller),
    openMailbox: async (user) => openProviderMailbox(context, caller, user),
    once: async (key, content, respond) => respondOnce(context, caller, { key, content, respond }),
  };
}

/** Authenticated caller of a provider's API. */
export interface ProviderCaller {
  /** Account principal for a key that is not stored. */
  readonly principal: PlainPrincipal;
  /** Name of the provider. */
  readonly provider: string;
  /** False for a key that is not stored: its caller reads only messages that came through the provider. */
  readonly isKnown: boolean;
  /** Faults of the request; none by default. */
  readonly faults?: RequestFaults;
  /** Transcript of the request, which is stored with its messages; none by default. */
  readonly transcript?: RequestTranscript;
}

/** Key of a request to a provider's API. */
interface ProviderCredentials extends Pick<Credentials, "clientAddress"> {
  /** Null or empty without a key. */
  readonly key: string | null;
  readonly provider: string;
  /** Whether a page of another site made a browser send the request (Fetch Metadata); only a stored key is valid then. */
  readonly isForeignPage?: boolean;
}

/**
 * Returns the caller with a key. Rejects with `unauthenticated` without a key and, unless the service accepts any key, for
 * an unknown one; and as {@link authenticate} does. An unknown key that is accepted does not count as a wrong one. The scope
 * of the key is not checked: see {@link requireProviderScope}.
 */
export async function openProviderCaller(
  context: Context,
  { key, clientAddress, provider, isForeignPage = false }: ProviderCredentials,
): Promise<ProviderCaller> {
  if (key === null || key === "") throw new Problem("unauthenticated");
  const hash = hashKey(context.secrets, key);
  const acceptsAny = context.settings.acceptsAnyProviderKey && !isForeignPage;
  const isAccepted = acceptsAny && (await findKey(context, key, hash)) === undefined;
  if (isAccepted) return { principal: unknownPrincipal(key), provider, isKnown: false };
  const { principal } = await authenticate(context, { key, clientAddress, hash });
  return { principal: requireOneServer(principal), provider, isKnown: true };
}

/** Returns the principal of the only server of a team's or user's key: these APIs cannot name one of several. */
function requireOneServer(principal: Principal): PlainPrincipal {
  const servers = serversOf(principal);
  const [server] = servers ?? [];
  if (servers === null) return { ...principal, server: null };
  const narrowed = server !== undefined && servers.length === 1 ? narrowTo(principal, server) : undefined;
  if (narrowed !== undefined) return narrowed;
  throw new Problem("forbidden", { text: "This key gives access to several servers; use a key of one of them" });
}

/** Throws `forbidden` when the scope of the caller's key does not cover the need. */
export function requireProviderScope({ principal, isKnown }: ProviderCaller, need: "read" | "send"): void {
  if (isKnown) requireScope(principal, need);
}

/** Returns a principal whose id identifies the key without containing it. */
function unknownPrincipal(key: string): PlainPrincipal {
  const name = createHash("sha256").update(key).digest("hex").slice(0, 32);
  return { keyId: `unknown:${name}`, server: null, scope: "full" };
}
