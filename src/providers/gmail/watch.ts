/** Push notifications: https://developers.google.com/workspace/gmail/api/guides/push */
import type { Direction } from "../../core/message.ts";
import { and, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { MailboxSubscription } from "../mailbox-subscriptions.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { invalidArgument } from "./errors.ts";
import { topicPattern } from "./pub-sub.ts";
import { readBody, textsOf } from "./request.ts";
import { openUser } from "./user.ts";

/** Lifetime of a watch: seven days. */
const lifetimeMs = 7 * 24 * 3_600_000;

/** Watches a mailbox, in place of an earlier watch: `POST /watch`. */
export const watch: Handler = async (call) => {
  const { session, services, request } = call;
  const user = await openUser(call);
  const members = readBody(request.body);
  const topic = members.text("topicName") ?? "";
  if (!topicPattern.test(topic)) throw invalidArgument(`Invalid topicName does not match ${topicPattern.source}`);
  const labels = textsOf(members, "labelIds");
  const unknown = labels.find((id) => !user.labels.has(id));
  if (unknown !== undefined) throw invalidArgument(`Invalid label: ${unknown.slice(0, 100)}`);
  const behavior = members.text("labelFilterBehavior") ?? members.text("labelFilterAction") ?? "include";
  const isExcluded = behavior.toLowerCase() === "exclude";
  const conditionIn = (direction: Direction): SearchExpression => {
    const any = or(...labels.map((label) => user.labels.condition(label, direction)));
    return labels.length === 0 ? and() : isExcluded ? not(any) : any;
  };
  const values = {
    kinds: ["added", "marked", "deleted"],
    where: { Received: conditionIn("Received"), Sent: conditionIn("Sent") },
    options: { topic },
    secrets: {},
    expiresAt: services.now() + lifetimeMs,
  } as const;
  const present = (await watchesOf(call, user.mailbox.address))[0];
  const named = request.params["user"] ?? "me";
  const { id, expiresAt } =
    present === undefined
      ? await session.subscriptions.add(named === "me" ? null : named, values)
      : await session.subscriptions.change(present.id, values);
  await session.subscriptions.report(id, "started");
  const { cursor } = await user.mailbox.list({ expression: and(), direction: null, top: 1 });
  return jsonResponse(200, { historyId: String(cursor), expiration: String(expiresAt) });
};

/** Ends the watch of a mailbox, if there is one: `POST /stop`. */
export const stop: Handler = async (call) => {
  const { mailbox } = await openUser(call);
  for (const { id } of await watchesOf(call, mailbox.address)) await call.session.subscriptions.remove(id);
  return noContent;
};

async function watchesOf({ session }: Call, address: string): Promise<readonly MailboxSubscription[]> {
  return (await session.subscriptions.list()).filter((one) => one.address === address);
}
