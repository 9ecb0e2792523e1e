/** Deliveries of callbacks: list, read, replay, erase. */
import { isUtf8 } from "node:buffer";
import type { Principal } from "../../core/api-key.ts";
import { notFound, Problem } from "../../core/errors.ts";
import { parseMessageId, type ServerId } from "../../core/ids.ts";
import { pendingDeliveryCountPerServerMax } from "../../core/limits.ts";
import { type OpenReceiver, type RenderedCallback, contentKind } from "../../egress/callbacks/delivery-content.ts";
import { shownHeaders } from "../../egress/callbacks/attempt-callback.ts";
import { DeliveryFailure } from "../../egress/delivery-failure.ts";
import type { CallbackAttempt, DeliveryFilter, NewDelivery, StoredDelivery } from "../../store/callback-store.ts";
import { isUuid } from "../../providers/formats/uuid.ts";
import type { Context } from "../context.ts";
import { openServer } from "../services/security/access.ts";
import { createOpenReceiver } from "./open-receiver.ts";
import type { ShownAttempt, ShownDelivery, ShownDeliveryDetail } from "./delivery-schema.ts";

/** Path of a delivery. */
export interface DeliveryPath {
  readonly server: string;
  readonly delivery: string;
}

/** Filter of a list; absent members match all. */
export type DeliveryQuery = Partial<
  Omit<DeliveryFilter, "message" | "target"> & { readonly message: string; readonly target: string }
>;

/** Page of a list, newest first. */
export interface DeliveryPage {
  readonly deliveries: readonly ShownDelivery[];
  readonly hasMore: boolean;
}

/** Bytes of a body that are shown. */
const shownBytesMax = 1024 * 1024;
/** Deliveries that one request replays. */
const replayCountMax = 10_000;

/** Lists the deliveries of a server. Rejects with `not_found`. */
export async function listDeliveries(
  context: Context,
  principal: Principal,
  request: {
    readonly server: string;
    readonly query: DeliveryQuery;
    readonly page: number;
    readonly itemsPerPage: number;
  },
): Promise<DeliveryPage> {
  const { id: server } = await openServer(context, principal, request.server);
  const filter = filterOf(request.query);
  if (filter === undefined) return { deliveries: [], hasMore: false };
  const { page, itemsPerPage } = request;
  const at = { offset: page * itemsPerPage, limit: itemsPerPage + 1 };
  const found = await context.store.callbacks.listDeliveries(server, filter, at);
  return { deliveries: found.slice(0, itemsPerPage).map(showDelivery), hasMore: found.length > itemsPerPage };
}

/**
 * Returns a delivery with its request and attempts. Rejects with `not_found`, and with `unavailable` while the memory for
 * large mails is in use.
 */
export async function getDelivery(
  context: Context,
  principal: Principal,
  path: DeliveryPath,
): Promise<ShownDeliveryDetail> {
  const delivery = await openDelivery(context, principal, path);
  const request = maySeeRequest(principal, delivery) ? await requestOf(context, delivery) : null;
  return { ...showDelivery(delivery), request, attempts: delivery.attempts.map(showAttempt) };
}

/** Returns whether a principal may see the request of a delivery: the token in a confirmation is enough to confirm. */
function maySeeRequest({ scope = "full" }: Principal, { content }: StoredDelivery): boolean {
  return scope === "full" || content === null || contentKind(content) !== "confirmation";
}

/** Makes a delivery that is not pending due again. Rejects with `not_found`, and with `conflict` when it cannot be. */
export async function replayDelivery(
  context: Context,
  principal: Principal,
  path: DeliveryPath,
): Promise<ShownDelivery> {
  const delivery = await openDelivery(context, principal, path);
  const { callbacks } = context.store;
  if ((await callbacks.replayDeliveries([delivery.id], context.clock.now())) === 0) {
    const text =
      delivery.status === "Pending" ? "The delivery is pending already" : "The content of the delivery was erased";
    throw new Problem("conflict", { text });
  }
  context.wakeCallbacks();
  return showDelivery((await callbacks.getCallbackDelivery(delivery.id)) ?? delivery);
}

/** Makes deliveries due again and returns their number: failed ones unless the query names a status. */
export async function replayDeliveries(
  context: Context,
  principal: Principal,
  { server: serverText, query }: { readonly server: string; readonly query: DeliveryQuery },
): Promise<number> {
  const { id: server } = await openServer(context, principal, serverText);
  const filter = filterOf({ ...query, status: query.status ?? "Failed" });
  if (filter === undefined) return 0;
  const at = { now: context.clock.now(), limit: replayCountMax };
  const count = await context.store.callbacks.replayMatching(server, filter, at);
  if (count > 0) context.wakeCallbacks();
  return count;
}

/** Erases the content of a delivery, and cancels it when it is pending. Rejects with `not_found`. */
export async function eraseDelivery(context: Context, principal: Principal, path: DeliveryPath): Promise<void> {
  const { id } = await openDelivery(context, principal, path);
  if (!(await context.store.callbacks.eraseDelivery(id))) throw notFound("Delivery");
}

/** Returns a new delivery as callers see it. */
export function showMade(delivery: NewDelivery): ShownDelivery {
  return showDelivery({ ...delivery, status: "Pending", attemptCount: 0, nextAttemptAt: delivery.dueAt, attempts: [] });
}

/** Stores deliveries that a request makes. Rejects with `limit_reached` when too many of the server are pending. */
export async function addRequested(
  context: Context,
  server: ServerId,
  deliveries: readonly NewDelivery[],
): Promise<readonly ShownDelivery[]> {
  await checkBacklog(context, server);
  await context.store.callbacks.addDeliveries(deliveries);
  context.wakeCallbacks();
  return deliveries.map(showMade);
}

/** Rejects with `limit_reached` when too many deliveries of a server are pending. */
export async function checkBacklog(context: Context, server: ServerId): Promise<void> {
  if (!(await hasFullBacklog(context, server))) return;
  throw new Problem("limit_reached", { text: "Too many deliveries of this server are pending; retry later" });
}

/** Returns whether as many deliveries of a server are pending as may be. */
export async function hasFullBacklog({ store }: Context, server: ServerId): Promise<boolean> {
  const filter = { target: null, message: null, status: "Pending", type: null, since: null, before: null } as const;
  const last = { offset: pendingDeliveryCountPerServerMax - 1, limit: 1 };
  return (await store.callbacks.listDeliveries(server, filter, last)).length > 0;
}

async function openDelivery(
  context: Context,
  principal: Principal,
  { server: serverText, delivery: idText }: DeliveryPath,
): Promise<StoredDelivery> {
  const { id: server } = await openServer(context, principal, serverText);
  const id = idText.toLowerCase();
  const delivery = isUuid(id) ? await context.store.callbacks.getCallbackDelivery(id) : undefined;
  if (delivery === undefined || delivery.server !== server) throw notFound("Delivery");
  return delivery;
}

/** Returns the filter; undefined when an id is malformed, which nothing matches. */
function filterOf(query: DeliveryQuery): DeliveryFilter | undefined {
  const { status = null, type = null, since = null, before = null } = query;
  const message = query.message === undefined ? null : parseMessageId(query.message);
  const target = query.target?.toLowerCase() ?? null;
  if (message === undefined || (target !== null && !isUuid(target))) return undefined;
  return { target, message, status, type, since, before };
}

function showDelivery(
  delivery: Pick<StoredDelivery, (keyof ShownDelivery & keyof StoredDelivery) | "attempts">,
): ShownDelivery {
  const { id, server, target, message, type, status, attemptCount, createdAt, nextAttemptAt, attempts } = delivery;
  const lastAttempt = attempts.at(-1);
  return {
    id,
    server,
    target,
    message,
    type,
    status,
    attemptCount,
    createdAt: new Date(createdAt).toISOString(),
    nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt).toISOString(),
    lastAttempt: lastAttempt === undefined ? null : showAttempt(lastAttempt),
  };
}

function showAttempt({ startedAt, requestHeaders, ...attempt }: CallbackAttempt): ShownAttempt {
  return { ...attempt, startedAt: new Date(startedAt).toISOString(), headers: requestHeaders };
}

/** Receivers by store: the requests that are shown share one budget of memory, apart from that of the worker. */
const shownReceivers = new WeakMap<Context["store"], OpenReceiver>();

function openReceiverOf(context: Context): OpenReceiver {
  const created = shownReceivers.get(context.store) ?? createOpenReceiver(context);
  shownReceivers.set(context.store, created);
  return created;
}

async function requestOf(context: Context, delivery: StoredDelivery): Promise<ShownDeliveryDetail["request"]> {
  if (delivery.content === null) return null;
  let rendered: RenderedCallback | undefined;
  try {
    const receiver = await openReceiverOf(context)(delivery);
    rendered = await receiver.render([delivery], context.clock.now());
    return showRequest(rendered);
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error;
    if (error.verdict === "retry") throw new Problem("unavailable", { retryAfterSeconds: 1 });
    return null;
  } finally {
    rendered?.release?.();
  }
}

function showRequest({ url, request }: RenderedCallback): ShownDeliveryDetail["request"] {
  const body = Buffer.from(request.body).subarray(0, shownBytesMax);
  const text = body.toString("utf8");
  // A cut may divide the last character.
  const isText = Buffer.from(text, "utf8").equals(body) || (body.length === shownBytesMax && isUtf8(request.body));
  return {
    url,
    headers: shownHeaders(request),
    body: isText ? text : body.toString("base64"),
    encoding: isText ? "text" : "base64",
    bodyBytes: request.body.byteLength,
  };
}
