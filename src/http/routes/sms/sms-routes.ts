import type { Route } from "../../route.ts";
import { approvedPhrasesRoutes } from "./approved-phrases.ts";
import { twilioInboundRoute, vonageInboundRoutes } from "./inbound.ts";
import { receiveSmsRoute } from "./receive-sms.ts";
import { twilioFetchRoute } from "./twilio-fetch.ts";
import { twilioListRoute } from "./twilio-list.ts";
import { twilioSendRoute } from "./twilio-send.ts";
import { vonageSendRoute } from "./vonage-send.ts";

/** The doors for texts: ours, and those in the shapes of providers. */
export const smsRoutes: readonly Route[] = [
  receiveSmsRoute,
  ...approvedPhrasesRoutes,
  twilioInboundRoute,
  ...vonageInboundRoutes,
  twilioSendRoute,
  twilioFetchRoute,
  twilioListRoute,
  vonageSendRoute,
];
