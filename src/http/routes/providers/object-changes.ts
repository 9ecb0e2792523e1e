/** Audit of what a call to a provider's API changes: templates, suppressions, identities, topics; and mails that it deletes. */
import type { AuditActor } from "../../../core/audit-entry.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { ProviderCaller } from "../../../operations/providers/provider-session.ts";
import { actorOf } from "../../../operations/services/security/access.ts";
import type { ProviderObjects } from "../../../providers/email.ts";
import type { ProviderSession } from "../../../providers/provider.ts";
import type { Webhooks } from "../../../providers/webhooks.ts";
import type { ProviderCall } from "../../route.ts";

/** Changes of one call. */
export class ObjectChanges {
  readonly #kinds = new Set<string>();
  readonly #deleted: MessageId[] = [];
  #caller: ProviderCaller | null = null;
  #hasSent = false;

  /** Returns the session of the call, whose changes of objects are noted. Objects that expire belong to messages on their way. */
  watch(session: ProviderSession, caller: ProviderCaller): ProviderSession {
    this.#caller = caller;
    const { objects } = session;
    const watched: ProviderObjects = {
      ...objects,
      put: async (kind, id, change) => {
        const isDone = await objects.put(kind, id, change);
        if (isDone && (change.expiresAt ?? null) === null) this.#kinds.add(kind);
        return isDone;
      },
      remove: async (kind, id) => {
        const isDone = await objects.remove(kind, id);
        if (isDone) this.#kinds.add(kind);
        return isDone;
      },
    };
    return {
      ...session,
      objects: watched,
      subscriptions: this.#watchSubscriptions(session),
      webhooks: {
        events: this.#watchWebhooks(session.webhooks.events),
        inbound: this.#watchWebhooks(session.webhooks.inbound),
      },
      openMailbox: async (user) => {
        const mailbox = await session.openMailbox(user);
        const remove: typeof mailbox.remove = async (id) => {
          await mailbox.remove(id);
          this.#deleted.push(id.toLowerCase() as MessageId);
        };
        const removeEach: typeof mailbox.removeEach = async (ids) => {
          await mailbox.removeEach(ids);
          this.#deleted.push(...ids);
        };
        return { ...mailbox, remove, removeEach };
      },
      submitEmails: async (emails) => {
        this.#hasSent = true;
        return session.submitEmails(emails);
      },
      submitSms: async (sms) => {
        this.#hasSent = true;
        return session.submitSms(sms);
      },
    };
  }

  #watchSubscriptions({ subscriptions }: ProviderSession): ProviderSession["subscriptions"] {
    const { add, change, remove, report } = subscriptions;
    const noted = this.#noted("subscription");
    return { ...subscriptions, add: noted(add), change: noted(change), remove: noted(remove), report: noted(report) };
  }

  #watchWebhooks<Selection>({ add, change, remove, ...reading }: Webhooks<Selection>): Webhooks<Selection> {
    const noted = this.#noted("webhook");
    return { ...reading, add: noted(add), change: noted(change), remove: noted(remove) };
  }

  /** Returns a function that returns changes which are noted once they are made. */
  #noted(kind: string) {
    return <Given extends readonly unknown[], Result>(make: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        const result = await make(...given);
        this.#kinds.add(kind);
        return result;
      };
  }

  /** Records the changes of a call; those of objects unless it has sent messages, which are the record. */
  async record({ context, clientAddress }: ProviderCall, endpoint: string): Promise<void> {
    if (this.#caller === null) return;
    const { isKnown, principal, provider } = this.#caller;
    const actor: AuditActor = isKnown
      ? actorOf(principal, "key", clientAddress)
      : { by: "key", key: null, name: null, clientAddress };
    for (const id of this.#deleted) {
      const { server } = decodeMessageId(id);
      await context.audit.record(actor, { action: "message.delete", target: id, server, details: { provider } });
    }
    if (this.#kinds.size === 0 || this.#hasSent) return;
    const details = { provider, endpoint, kinds: [...this.#kinds] };
    const { server } = principal;
    await context.audit.record(actor, { action: "provider_object.change", target: null, server, details });
  }
}
