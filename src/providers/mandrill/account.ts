/** Users and senders, as far as applications need them to send. */
import { newestEmails } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse } from "../provider.ts";
import { instantText } from "./request.ts";

/** Newest mails whose senders are listed. */
const bounds = { countMax: 1000, pageSize: 100 };

/** Validates the key: `users/ping`. */
export const ping: Handler = async () => jsonResponse(200, "PONG!");

/** Validates the key: `users/ping2`. */
export const ping2: Handler = async () => jsonResponse(200, { PING: "PONG!" });

/** Describes the account, without statistics: `users/info`. */
export const getUser: Handler = async ({ services }) => {
  const account = { username: "restante", public_id: "restante", reputation: 100, hourly_quota: 10_000, backlog: 0 };
  return jsonResponse(200, { ...account, created_at: instantText(services.now()), stats: {} });
};

/** Lists the senders of the newest mails: `users/senders` and `senders/list`. */
export const listSenders: Handler = async (call) => {
  const none = { hard_bounces: 0, soft_bounces: 0, rejects: 0, complaints: 0, unsubs: 0, opens: 0, clicks: 0 };
  const stats = { ...none, unique_opens: 0, unique_clicks: 0 };
  const senders = await sendersOf(call);
  return jsonResponse(
    200,
    senders.map((one) => ({ ...one, ...stats })),
  );
};

/** Lists the domains of the senders of the newest mails, whose records are not checked: `senders/domains`. */
export const listDomains: Handler = async (call) => {
  const created = (await sendersOf(call)).map(
    ({ address, created_at: at }) => [address.split("@").at(-1), at] as const,
  );
  const valid = { valid: true, valid_after: null, error: null };
  const domains = [...new Map(created)].map(([domain, at]) => ({
    domain,
    created_at: at,
    last_tested_at: at,
    spf: valid,
    dkim: valid,
    verified_at: at,
    valid_signing: true,
  }));
  return jsonResponse(200, domains);
};

interface Sender {
  readonly address: string;
  readonly created_at: string;
  readonly sent: number;
}

async function sendersOf({ session }: Call): Promise<readonly Sender[]> {
  const senders = new Map<string, Sender>();
  for await (const { message, createdAt } of newestEmails(session, {}, bounds)) {
    const address = message.from[0]?.email ?? "";
    const sent = (senders.get(address)?.sent ?? 0) + 1;
    senders.set(address, { address, created_at: instantText(createdAt), sent });
  }
  return [...senders.values()];
}
