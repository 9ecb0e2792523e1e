import { check, type JudgedResponse, judgeUnsubscribeResponse, skipped } from "../../analysis/judge-unsubscribe.ts";
import type { SignatureVerdict } from "../../authentication/mail-authentication.ts";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import {
  isOneClick,
  oneClickBody,
  readUnsubscribeFields,
  type UnsubscribeCheck,
  type UnsubscribeDkim,
  type UnsubscribeFields,
  type UnsubscribeReport,
} from "../../core/unsubscribe.ts";
import { DeliveryFailure } from "../../egress/delivery-failure.ts";
import { postForm } from "../../egress/sms/post-form.ts";
import { dnsOf } from "../services/inspection/inspect-stored.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import type { Context } from "../context.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";

/** Request body that unsubscribes. */
export const unsubscribeRequestSchema = build.partial({
  requireDkim: build.boolean({
    default: false,
    description: "Whether the request is only sent when a valid DKIM signature covers both header fields.",
  }),
});

const dnsMsMax = 5000;
const responseBytesMax = 64 * 1024;
/** Requests that run at the same time; each holds a socket for at most 15 s. */
const requests = new FairQueue({
  runningCountMax: 20,
  runningPerKeyCountMax: 5,
  waitingPerKeyCountMax: 50,
  waitingCountMax: 500,
});

/**
 * Sends the one-click unsubscribe request of a received mail (RFC 8058) and judges mail and response. The request has no
 * cookies or credentials, follows no redirect, and is sent only where the policy for callbacks allows it. Rejects with
 * `not_found`, with a 400 on `id` for an SMS, and as the inspector does.
 */
export async function unsubscribeMessage(
  context: Context,
  principal: Principal,
  { id: idText, requireDkim = false }: ValueOf<typeof unsubscribeRequestSchema> & { readonly id: string },
): Promise<UnsubscribeReport> {
  const id = openMessageId(principal, idText);
  const { message } = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  if (message.type !== "Email") throw invalidField("id", "Only mail has a List-Unsubscribe field");
  const fields = readUnsubscribeFields(message.metadata.headers);
  const mailto = fields.uris.filter((uri) => /^mailto:/i.test(uri));
  const url = oneClickUrl(fields.uris);
  const dkim = await judgeDkim(context, principal, id);
  const mailChecks = [...checkFields(fields, url), checkDkim(dkim, requireDkim), checkTarget(context, url)];
  const isStopped = mailChecks.some(({ name, result }) => result === "fail" && (name !== "dkim" || requireDkim));
  const report = { url, mailto, dkim: dkim.result };
  if (url === null || isStopped) {
    const text = "No request was sent.";
    const skippedChecks = (["response", "confirmation", "duration"] as const).map((name) => skipped(name, text));
    return { ok: false, ...report, checks: [...mailChecks, ...skippedChecks], response: null };
  }
  const { checks, response } = await send(context, principal, url);
  const all = [...mailChecks, ...checks];
  return { ok: all.every(({ result }) => result !== "fail"), ...report, checks: all, response };
}

/** Returns the first https URI; without one, the first http URI of this machine, for tests. */
function oneClickUrl(uris: readonly string[]): string | null {
  const isLocal = (uri: string): boolean => {
    const host = URL.parse(uri)?.hostname ?? "";
    return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || host.startsWith("127.");
  };
  const https = uris.find((uri) => /^https:/i.test(uri));
  return https ?? uris.find((uri) => /^http:/i.test(uri) && isLocal(uri)) ?? null;
}

function checkFields({ list, post }: UnsubscribeFields, url: string | null): readonly UnsubscribeCheck[] {
  const [value = ""] = post;
  return [
    check(
      "list-unsubscribe",
      list.length === 1,
      list.length === 1
        ? "There is one List-Unsubscribe field."
        : `There are ${String(list.length)} List-Unsubscribe fields; there must be one.`,
    ),
    check("https", url !== null, url !== null ? "List-Unsubscribe has a URL for the request." : noUrl),
    check(
      "list-unsubscribe-post",
      post.length === 1 && isOneClick(value),
      post.length === 1 && isOneClick(value)
        ? `List-Unsubscribe-Post is ${oneClickBody}.`
        : `There must be one List-Unsubscribe-Post field with the value ${oneClickBody}.`,
    ),
  ];
}

const noUrl = "List-Unsubscribe has no https URL (http is allowed for loopback hosts).";

function checkTarget({ settings }: Context, url: string | null): UnsubscribeCheck {
  if (url === null) return skipped("target", "There is no URL.");
  const refusal = settings.targets.refuseUrl(url, null);
  return check("target", refusal === null, refusal === null ? "Requests to the host are allowed." : `${refusal}.`);
}

interface DkimJudgement {
  readonly result: UnsubscribeDkim;
  readonly signatures: readonly SignatureVerdict[];
}

async function judgeDkim(context: Context, principal: Principal, id: MessageId): Promise<DkimJudgement> {
  const load = async (): Promise<Uint8Array> => orNotFound(await context.store.getRaw(id), "Message");
  const dns = await dnsOf(context, decodeMessageId(id).server);
  const inspection = { kind: "signatures", dns, deadlineMs: dnsMsMax } as const;
  const signatures = await context.inspector.inspect(load, inspection, callerOf(principal, context));
  const covering = signatures.filter(({ fields }) => signedNames.every((name) => fields.includes(name)));
  if (signatures.length === 0) return { result: "none", signatures };
  if (covering.some(({ result }) => result === "pass")) return { result: "pass", signatures };
  return { result: covering.some(({ result }) => result === "unverified") ? "unverified" : "fail", signatures };
}

const signedNames = ["list-unsubscribe", "list-unsubscribe-post"];

function checkDkim({ result, signatures }: DkimJudgement, isRequired: boolean): UnsubscribeCheck {
  const domains = [...new Set(signatures.map(({ domain }) => domain))].slice(0, 5).join(", ");
  const texts: Readonly<Record<UnsubscribeDkim, string>> = {
    pass: `A valid DKIM signature covers both fields (${domains}).`,
    none: "The mail has no DKIM signature; mailbox providers offer one-click only with one that covers both fields.",
    fail: `No valid DKIM signature covers both fields (${domains}).`,
    unverified: `The DKIM signature could not be verified, because DNS did not answer (${domains}).`,
  };
  if (result === "pass" || result === "fail" || isRequired) return check("dkim", result === "pass", texts[result]);
  return skipped("dkim", texts[result]);
}

async function send(
  context: Context,
  principal: Principal,
  url: string,
): Promise<Pick<UnsubscribeReport, "checks" | "response">> {
  const { key, signal } = callerOf(principal, context);
  const post = async (): Promise<JudgedResponse> => {
    const startedMs = context.clock.monotonicMs();
    const form = { url, ownOrigins: null, body: oneClickBody, headers: { accept: "*/*" }, responseBytesMax };
    const response = await postForm(form, { policy: context.settings.targets });
    return { ...response, durationMs: context.clock.monotonicMs() - startedMs };
  };
  try {
    const response = await requests.run(key, post, signal);
    const { status, durationMs } = response;
    return { checks: judgeUnsubscribeResponse(response), response: { status, durationMs } };
  } catch (error) {
    if (error instanceof Problem || !(error instanceof DeliveryFailure)) throw error;
    const text = "There is no response to judge.";
    const checks = [
      check("response", false, `${error.message}.`),
      skipped("confirmation", text),
      skipped("duration", text),
    ];
    return { checks, response: null };
  }
}
