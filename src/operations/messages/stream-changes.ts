import { mainTurns } from "../../core/shared-turns.ts";
import type { Principal } from "../../core/api-key.ts";
import type { Change } from "../../core/events.ts";
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { openServer } from "../services/security/access.ts";
import {
  createWakeSignal,
  onAbort,
  type WakeSignal,
  type RetryContext,
  retryWhileUnavailable,
} from "../services/events/wait-for-messages.ts";
import type { Context } from "../context.ts";

/** Request for a stream of changes. */
export interface StreamRequest {
  readonly server: string;
  /** Sequence number of the last known change; null to start with new changes. */
  readonly afterSequence: number | null;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
  /** Returns whether the caller's key or session can still access the server. */
  readonly isOpen: () => Promise<boolean>;
}

/** Open stream of changes. */
export interface ChangeStream {
  readonly server: ServerId;
  /** Sequence number of the last change before the stream. */
  readonly startsAfter: number;
  /** Yields null periodically without changes, for keep-alives. */
  readonly changes: AsyncGenerator<Change | null, void>;
}

const readCountMax = 500;
const silenceMsMax = 15_000;

/**
 * Streams every change of a server in order, without gap or repeat. Ends when the caller disconnects, when the service
 * shuts down, when the server is deleted or its changes are no longer stored, and when the caller's key or session is
 * revoked: at once in this process, within {@link silenceMsMax} by another node. Rejects with `not_found`, and with `gone`
 * when changes after `afterSequence` are no longer stored.
 */
export async function streamChanges(
  context: Context,
  principal: Principal,
  request: StreamRequest,
): Promise<ChangeStream> {
  const server = await openServer(context, principal, request.server);
  const startsAfter = request.afterSequence ?? (await lastSequence(context, server.id));
  const remembered = await context.store.listChanges(server.id, startsAfter, 1);
  if (remembered === undefined) {
    throw new Problem("gone", { text: "The changes after that point are no longer stored; start without `after`" });
  }
  return {
    server: server.id,
    startsAfter,
    changes: readChanges(context, server.id, { ...request, startsAfter, principal }),
  };
}

async function* readChanges(
  context: Context,
  server: ServerId,
  from: { startsAfter: number; principal: Principal } & Pick<StreamRequest, "gone" | "isOpen">,
): AsyncGenerator<Change | null, void> {
  const wakeSignal = createWakeSignal();
  const endings = [
    context.events.subscribe(server, wakeSignal.notify),
    context.revocations.subscribe((ended) => {
      if (ended === null || ended === from.principal.keyId) wakeSignal.notify();
    }),
    onAbort(from.gone, wakeSignal.end),
    onAbort(context.closing, wakeSignal.end),
  ];
  // Another node may have revoked the key or session or deleted the server without a notification, so each round checks.
  const isOpen = async (): Promise<boolean> => (await from.isOpen()) && context.store.hasServer(server);
  const stream = context.eventStreams.opened();
  let last = from.startsAfter;
  let isNoted = false;
  let isSilent = false;
  try {
    do {
      if (!(await retryWhileUnavailable(isOpen, { ...context, wakeSignal, stream }))) return;
      const reached = yield* readBacklog({ ...context, wakeSignal, stream }, server, last);
      if (reached === undefined) return;
      last = reached;
      stream.succeeded();
      if (!isNoted) context.events.noteSeen(server, last);
      isNoted = true;
      if (isSilent) yield null;
      isSilent = false;
    } while (await waitForSignal(context, { wakeSignal, principal: from.principal }, () => (isSilent = true)));
  } catch (error) {
    // The caller has left during an outage, which was reported with the first failed read.
    if (from.gone.aborted) return;
    stream.failed(error);
    throw error;
  } finally {
    for (const cancel of endings) cancel();
    stream.closed();
  }
}

/** Waits for the signal, which also wakes after a silence and when the key expires; false when it has ended. */
async function waitForSignal(
  { clock }: Context,
  { wakeSignal, principal }: { readonly wakeSignal: WakeSignal; readonly principal: Principal },
  noteSilence: () => void,
): Promise<boolean> {
  const { expiresAt = null } = principal;
  const leftMs = expiresAt === null ? Infinity : Math.max(0, expiresAt - clock.now());
  const cancel = clock.after(Math.min(silenceMsMax, leftMs), () => {
    if (leftMs > silenceMsMax) noteSilence();
    wakeSignal.notify();
  });
  const isWoken = await wakeSignal.next();
  cancel();
  return isWoken;
}

/** Yields all changes after a sequence number and returns the last one; undefined when some are no longer stored. */
async function* readBacklog(
  { store, timings, tracing, ...waiting }: Context & RetryContext,
  server: ServerId,
  after: number,
): AsyncGenerator<Change, number | undefined> {
  for (let last = after; ;) {
    const from = last;
    const changes = await retryWhileUnavailable(() => store.listChanges(server, from, readCountMax), waiting);
    if (changes === undefined) return undefined;
    for (const change of changes) {
      await mainTurns.next();
      yield change;
      last = change.sequence;
      timings.notified(server, last);
      tracing.answered(server, last);
    }
    if (changes.length < readCountMax) return last;
  }
}

/** Returns the number of the last change of a server. */
export async function lastSequence(
  { store }: { readonly store: Pick<Context["store"], "listMessages"> },
  server: ServerId,
): Promise<number> {
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  return (await store.listMessages(server, page)).cursor;
}
