/** Table of all providers; a new provider needs a folder and a line here. */
import type { Provider } from "./provider.ts";
import { twilio } from "./twilio/provider.ts";
import { vonage } from "./vonage/provider.ts";

/** All providers, in the order in which documentation lists them. */
export const providers: readonly Provider[] = [twilio, vonage];

/** Provider of numbers whose request names none. */
export const defaultProviderName: string = twilio.name;

/** Returns the provider with this name; undefined for an unknown one. */
export function findProvider(name: string): Provider | undefined {
  return providers.find((provider) => provider.name === name);
}
