/** Subscriptions for tests of endpoints, kept in memory. */
import { randomUUID } from "node:crypto";
import { invalidField, notFound } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { CallbackAnswer, CallbackRequest } from "../callbacks.ts";
import type { MailboxSubscription, MailboxSubscriptions, SubscriptionFact } from "../mailbox-subscriptions.ts";

/** Subscriptions, and what was sent to their receivers. */
export interface KeptSubscriptions {
  readonly all: Map<string, MailboxSubscription>;
  readonly facts: (readonly [id: string, fact: SubscriptionFact])[];
  readonly sent: { readonly url: string; readonly request: CallbackRequest }[];
  /** Returns the response of a receiver; by default it repeats the parameter `validationToken`. URLs of `denied.example` are refused. */
  answer: (url: string) => CallbackAnswer | { readonly refusal: string };
}

/** Returns no subscriptions. */
export function emptySubscriptions(): KeptSubscriptions {
  return {
    all: new Map(),
    facts: [],
    sent: [],
    answer: (url) => {
      const body = Buffer.from(URL.parse(url)?.searchParams.get("validationToken") ?? "");
      return { status: 200, headers: {}, body };
    },
  };
}

/** Throws a 400 on `url` for one that is malformed or at `denied.example`. */
export function checkAllowedUrl(url: string): void {
  if (URL.canParse(url) && new URL(url).hostname !== "denied.example") return;
  throw invalidField("url", "The operator has not allowed calls to it");
}

/** Returns the subscriptions of a caller, who owns all of them. */
export function memorySubscriptions({
  subscriptions: kept,
  server,
}: {
  readonly subscriptions: KeptSubscriptions;
  readonly server: ServerId;
}): MailboxSubscriptions {
  const open = (id: string): MailboxSubscription => {
    const found = kept.all.get(id);
    if (found === undefined) throw notFound("Subscription");
    return found;
  };
  const store = (one: MailboxSubscription): MailboxSubscription => {
    kept.all.set(one.id, one);
    return one;
  };
  return {
    list: async () => [...kept.all.values()],
    get: async (id) => open(id),
    add: async (user, values) => store({ id: randomUUID(), server, address: user ?? "me@server.example", ...values }),
    change: async (id, values) => store({ ...open(id), ...values }),
    remove: async (id) => void kept.all.delete(open(id).id),
    report: async (id, fact) => {
      kept.facts.push([open(id).id, fact]);
    },
    checkUrl: checkAllowedUrl,
    send: async (url, request) => {
      checkAllowedUrl(url);
      kept.sent.push({ url, request });
      return kept.answer(url);
    },
  };
}
