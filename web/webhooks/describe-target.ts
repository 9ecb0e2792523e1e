import type { Target } from "../api/callbacks.ts";
import { pageStrings } from "../page-strings.ts";
import type { CallbackFormat, CallbackFormats } from "../wire.ts";
import { webhookEventNames } from "./webhook-events.ts";

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
