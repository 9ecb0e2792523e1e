import { notFound } from "../../core/errors.ts";
import type { ProviderSession } from "../../providers/provider.ts";
import type { Context } from "../context.ts";
import type { GetMessageContext } from "../messages/get-message.ts";
import { captureSms, hasOptedOut } from "../sms/capture-sms.ts";
import { getAttachment } from "../messages/get-attachment.ts";
import { getRawMessage } from "../messages/get-raw-message.ts";
import { findSms, toStoredSms } from "../sms/find-sms.ts";
import { listSms } from "../sms/list-sms.ts";
import type { ProviderCaller } from "./provider-caller.ts";
import { openProviderObjects } from "./provider-objects.ts";
import { respondOnce } from "./respond-once.ts";
import { cancelEmail, getEmail, rescheduleEmail } from "./scheduled-email.ts";
import { findStoredEmail, listEmails } from "./stored-emails.ts";
import { submitEmails } from "./submit-emails.ts";

/** Returns the session of a caller with the messages and objects of its provider. */
export function openProviderSession(context: Context & GetMessageContext, caller: ProviderCaller): ProviderSession {
  const { principal, provider, isKnown } = caller;
  const objects = openProviderObjects(context, caller);
  return {
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
    rescheduleEmail: async (uuid, sendAt) => {
      await caller.faults?.beforeChange();
      return rescheduleEmail(context, caller, { uuid, sendAt });
    },
    cancelEmail: async (uuid) => {
      await caller.faults?.beforeChange();
      return cancelEmail(context, caller, uuid);
    },
    objects: {
      ...objects,
      put: async (kind, id, change) => {
        await caller.faults?.beforeChange();
        return objects.put(kind, id, change);
      },
      remove: async (kind, id) => {
        await caller.faults?.beforeChange();
        return objects.remove(kind, id);
      },
    },
    once: async (key, content, respond) => respondOnce(context, caller, { key, content, respond }),
  };
}
