import type { Route } from "../../route.ts";
import { approvedPhrasesRoutes } from "./approved-phrases.ts";
import { receiveSmsRoute } from "./receive-sms.ts";

/** Routes for SMS and for the phrases of replies. */
export const smsRoutes: readonly Route[] = [receiveSmsRoute, ...approvedPhrasesRoutes];
