/** Audit rules of routes. */
import type { AuditAction, AuditActorKind, AuditedAction } from "../core/audit-entry.ts";
import { decodeMessageId, parseMessageId, type ServerId } from "../core/ids.ts";
import { actorOf } from "../operations/services/security/access.ts";
import type { HttpResponse } from "./http-response.ts";
import type { KeyCall } from "./route.ts";

/** An audited act, and how its caller was authorised when that is not the key or session of the request. */
export type RecordedAct = AuditedAction & { readonly by?: AuditActorKind };

/** Returns what the audit log records of a successful call: no secrets, mail addresses or content. */
export type AuditRule = (call: KeyCall, response: HttpResponse) => RecordedAct;

/** Returns an act; absent members are null or empty. */
export function auditedAct(action: AuditAction, members: Partial<Omit<RecordedAct, "action">> = {}): RecordedAct {
  return { action, target: null, server: null, details: {}, ...members };
}

/** Returns the server of a message id in a path; null for another text. */
export function serverOfMessage(idText: string): ServerId | null {
  const id = parseMessageId(idText);
  return id === undefined ? null : decodeMessageId(id).server;
}

/** Returns a string member of the JSON object that a route responded with; null when it has none. */
export function responseText({ body }: HttpResponse, name: string): string | null {
  const answered = JSON.parse(Buffer.concat(body ?? []).toString("utf8")) as Readonly<Record<string, unknown>>;
  const value = answered[name];
  return typeof value === "string" ? value : null;
}

/** Returns the member `deleted` of the JSON object that a route responded with. */
export function deletedCount({ body }: HttpResponse): number {
  const { deleted } = JSON.parse(Buffer.concat(body ?? []).toString("utf8")) as { readonly deleted: number };
  return deleted;
}

/** Returns the member `replayed` of the JSON object that a route responded with. */
export function replayedCount({ body }: HttpResponse): number {
  const { replayed } = JSON.parse(Buffer.concat(body ?? []).toString("utf8")) as { readonly replayed: number };
  return replayed;
}

/** Records a successful call of a route; resolves when it is written or queued for a retry. */
export async function recordCall(call: KeyCall, rule: AuditRule, response: HttpResponse): Promise<void> {
  const { by = call.via, ...act } = rule(call, response);
  const { principal, clientAddress, context } = call;
  await context.audit.record(actorOf(principal, by, clientAddress), act);
}
