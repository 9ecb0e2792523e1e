/** Drafts of targets: the values of the form, and the request that saves them. */
import type { Target, TargetCollection } from "../api/callbacks.ts";
import { webhookEventNames, type WebhookEventName } from "./webhook-events.ts";

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
