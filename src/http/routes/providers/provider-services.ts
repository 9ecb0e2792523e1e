import type { Principal } from "../../../core/api-key.ts";
import { notFound, Problem } from "../../../core/errors.ts";
import type { Message } from "../../../core/message.ts";
import { authenticate } from "../../../operations/services/security/authenticate.ts";
import { captureSms } from "../../../operations/sms/capture-sms.ts";
import type { Context } from "../../../operations/context.ts";
import { getMessage } from "../../../operations/messages/get-message.ts";
import { listSms } from "../../../operations/sms/list-sms.ts";
import { requireScope } from "../../../operations/services/security/require-scope.ts";
import type { ProviderServices, ProviderSession } from "../../../providers/provider.ts";
import type { StoredSms } from "../../../providers/sms.ts";
import type { ProviderCall } from "../../route.ts";

/** Returns the services for the endpoint of a call. API keys authenticate, browser sessions do not. */
export function servicesFor({ context, clientAddress }: ProviderCall): ProviderServices {
  return {
    now: () => context.clock.now(),
    authenticate: async (key, need) => {
      if (key === null) throw new Problem("unauthenticated");
      const { principal } = await authenticate(context, { key, clientAddress });
      requireScope(principal, need);
      return sessionOf(context, principal);
    },
  };
}

function sessionOf(context: Context, principal: Principal): ProviderSession {
  return {
    submitSms: async (sms) => captureSms(context, principal, sms),
    getSms: async (id) => {
      const message = await getMessage(context, principal, id);
      if (message.type !== "SMS") throw notFound("Message");
      return toSms(message);
    },
    listSms: async (filter) => {
      const { texts, hasMore } = await listSms(context, principal, filter);
      return { messages: texts.map(toSms), hasMore };
    },
  };
}

function toSms({ id, from, to, text, received }: Message): StoredSms {
  return {
    id,
    from: from[0]?.phone ?? "",
    to: to[0]?.phone ?? "",
    text: text.body ?? "",
    createdAt: Date.parse(received),
  };
}
