/** Drafts of targets: the values of the form, and the request that saves them. */
import type { Target, TargetCollection } from "../api/callbacks.ts";
import { pageStrings } from "../page-strings.ts";
import type { CallbackFormat, CallbackFormats, Webhook } from "../wire.ts";

/** Name of an event that a webhook can select. */
type WebhookEventName = Webhook["events"][number];

/** All events that a webhook can select. */
export const webhookEventNames: readonly WebhookEventName[] = [
  "message.received",
  "message.sent",
  "message.deleted",
  "message.delivery",
];

/** Values of the form; "" for fields that are left out. */
export interface TargetDraft {
  readonly url: string;
  readonly description: string;
  readonly events: readonly WebhookEventName[];
  readonly type: string;
  readonly recipient: string;
  readonly pattern: string;
  /** Provider or shape. */
  readonly format: string;
  readonly settings: Readonly<Record<string, string>>;
}

const emptyDraft: TargetDraft = {
  url: "",
  description: "",
  events: webhookEventNames,
  type: "",
  recipient: "",
  pattern: "",
  format: "",
  settings: {},
};

/** Returns the draft of a target; an empty one for null. */
export function draftOf(target: Target | null): TargetDraft {
  if (target === null) return emptyDraft;
  const { url } = target;
  if ("pattern" in target) {
    return { ...emptyDraft, url, pattern: target.pattern, format: target.shape, settings: target.settings };
  }
  if ("provider" in target) return { ...emptyDraft, url, format: target.provider, settings: target.settings };
  const { description, events, type, criteria } = target;
  return { ...emptyDraft, url, description, events, type: type ?? "", recipient: criteria?.sentTo ?? "" };
}

/** Returns the body of the request that saves a draft; without fields that are unchanged or empty where that matters. */
export function requestOf(
  collection: TargetCollection,
  draft: TargetDraft,
  target: Target | null,
): Readonly<Record<string, unknown>> {
  const { url, description, events, type, recipient, pattern, format } = draft;
  if (collection === "webhooks") {
    const isRecipientChanged = recipient !== draftOf(target).recipient;
    return {
      url,
      description,
      events,
      type: type === "" ? null : type,
      ...(isRecipientChanged && { criteria: recipient === "" ? null : { sentTo: recipient } }),
    };
  }
  const settings = Object.fromEntries(Object.entries(draft.settings).filter(([, value]) => value !== ""));
  if (collection === "event-webhooks") return { url, settings };
  return { url, pattern, settings, ...(target === null && { shape: format }) };
}

/** Returns the name of a target and what it receives, for its row in a table; `formats` have the names of providers. */
export function describeTarget(
  target: Target,
  formats: CallbackFormats | undefined,
): { readonly name: string; readonly detail: string } {
  if ("pattern" in target) return { name: target.pattern, detail: labelOf(formats?.inbound, target.shape) };
  if ("provider" in target) return { name: labelOf(formats?.events, target.provider), detail: "" };
  const { description, events, type, criteria } = target;
  const selected = events.length === webhookEventNames.length ? pageStrings.webhooks.allEvents : events.join(", ");
  const filter = [type ?? "", ...Object.values({ ...criteria, match: "" })].filter((part) => part !== "").join(", ");
  if (description === "") return { name: selected, detail: filter };
  return { name: description, detail: filter === "" ? selected : `${selected} · ${filter}` };
}

function labelOf(formats: readonly CallbackFormat[] = [], name: string): string {
  return formats.find((format) => format.name === name)?.label ?? name;
}
