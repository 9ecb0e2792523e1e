import type { Route } from "../../route.ts";
import { approvedPhrasesRoutes } from "./approved-phrases.ts";
import { receiveSmsRoute } from "./receive-sms.ts";

/** Routes of SMS and approved phrases. */
export const smsRoutes: readonly Route[] = [receiveSmsRoute, ...approvedPhrasesRoutes];
