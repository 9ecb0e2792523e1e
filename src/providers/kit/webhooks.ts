/** Webhooks that applications register by the API of a provider: the handlers of its endpoints. */
import type { Problem } from "../../core/errors.ts";
import type { CallbackRequest, CallbackSigning } from "../callbacks.ts";
import { noContent, type ProviderResponse, type ProviderSession } from "../provider.ts";
import type { RegisteredWebhook, Webhooks, WebhookValues } from "../webhooks.ts";
import type { Call, Handler } from "./endpoints.ts";
import { onProblem } from "./rejection.ts";

/** Values in a request; absent settings stay, or have their defaults. */
type GivenValues<Selection> = Selection & Omit<WebhookValues, "settings"> & Partial<Pick<WebhookValues, "settings">>;

/** Response with one webhook. */
type Shown<Selection> = (webhook: RegisteredWebhook<Selection>, call: Call) => ProviderResponse;

/** Answer of a receiver, or why there is none. */
export type ReceiverAnswer = Awaited<ReturnType<ProviderSession["subscriptions"]["send"]>>;

/** Request that a receiver has to accept before a webhook is registered or gets another URL. */
export interface ReceiverTest {
  readonly requestOf: (receiver: Pick<CallbackSigning, "url" | "secrets">, call: Call) => CallbackRequest;
  /** Returns the error for an answer that does not accept it; null for others. */
  readonly errorOf: (answer: ReceiverAnswer) => Error | null;
}

/** API of a provider about its webhooks of one kind. */
export interface WebhookApi<Selection> {
  readonly of: (session: ProviderSession) => Webhooks<Selection>;
  /** Returns the id by which the API names the webhook with a UUID. */
  readonly idOf: (uuid: string) => string;
  /** Returns the id in a request; by default the parameter `id` of the path. */
  readonly idIn?: (call: Call) => string;
  /** Reads a request that adds a webhook, or changes `present`; throws a rejection. */
  readonly read: (
    call: Call,
    present: RegisteredWebhook<Selection> | null,
  ) => GivenValues<Selection> | Promise<GivenValues<Selection>>;
  readonly missing: (id: string) => Error;
  /** Returns the error for values that the service refuses, such as a URL that it may not call. */
  readonly invalid: (problem: Problem) => Error;
  /** None by default. */
  readonly test?: ReceiverTest;
  readonly shown: Shown<Selection>;
  readonly listed: (webhooks: readonly RegisteredWebhook<Selection>[], call: Call) => ProviderResponse;
  /** As {@link shown} by default. */
  readonly added?: Shown<Selection>;
  readonly changed?: Shown<Selection>;
  /** 204 without a body by default. */
  readonly removed?: Shown<Selection>;
}

/** Handlers of the endpoints, by the names that rows have. */
export type WebhookHandlers = Readonly<Record<"add" | "list" | "get" | "update" | "remove", Handler>>;

/** Returns the handlers of the endpoints of an API. */
export function webhookHandlers<Selection>(api: WebhookApi<Selection>): WebhookHandlers {
  const { shown, added = shown, changed = shown, removed = () => noContent } = api;
  const open = async (call: Call): Promise<RegisteredWebhook<Selection>> => openWebhook(api, call);
  return {
    add: async (call) => {
      const values = { settings: {}, ...(await api.read(call, null)) };
      await testReceiver(api, call, { url: values.url, secrets: values.settings });
      return added(await checked(api, api.of(call.session).add(values)), call);
    },
    list: async (call) => api.listed(await api.of(call.session).list(), call),
    get: async (call) => shown(await open(call), call),
    update: async (call) => {
      const present = await open(call);
      const values = (await api.read(call, present)) as Partial<WebhookValues & Selection>;
      const { url = present.url, settings: secrets = present.secrets } = values;
      if (url !== present.url) await testReceiver(api, call, { url, secrets });
      return changed(await checked(api, api.of(call.session).change(present.id, values)), call);
    },
    remove: async (call) => {
      const present = await open(call);
      await api.of(call.session).remove(present.id);
      return removed(present, call);
    },
  };
}

/** Settles as a change does; throws the error of the API for values that the service refuses. */
async function checked<Value>({ invalid }: Pick<WebhookApi<never>, "invalid">, value: Promise<Value>): Promise<Value> {
  return onProblem("invalid_request", value, invalid);
}

/** Sends a request to a receiver, within the policy for targets of callbacks; throws the error of the API for one it refuses. */
export async function askReceiver(
  api: Pick<WebhookApi<never>, "invalid">,
  { session }: Pick<Call, "session">,
  { url, request }: { readonly url: string; readonly request: CallbackRequest },
): Promise<ReceiverAnswer> {
  return checked(api, session.subscriptions.send(url, request));
}

async function testReceiver(
  api: Pick<WebhookApi<never>, "invalid" | "test">,
  call: Call,
  receiver: Pick<CallbackSigning, "url" | "secrets">,
): Promise<void> {
  if (api.test === undefined) return;
  const request = api.test.requestOf(receiver, call);
  const error = api.test.errorOf(await askReceiver(api, call, { url: receiver.url, request }));
  if (error !== null) throw error;
}

/** Returns the webhook that a request names; throws the error of the API without one. */
export async function openWebhook<Selection>(
  { of, idOf, idIn = ({ request }) => request.params["id"] ?? "", missing }: WebhookApi<Selection>,
  call: Call,
): Promise<RegisteredWebhook<Selection>> {
  const id = idIn(call);
  const found = (await of(call.session).list()).find((one) => idOf(one.id) === id);
  if (found === undefined) throw missing(id);
  return found;
}

/** Returns the names of events in a list; throws the error for an element that is none of them. */
export function eventNamesIn(
  given: readonly unknown[],
  names: readonly string[],
  invalid: (name: unknown, at: number) => Error,
): readonly string[] {
  return given.map((name, at) => {
    if (typeof name === "string" && names.includes(name)) return name;
    throw invalid(name, at);
  });
}
