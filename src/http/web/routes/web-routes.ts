import type { Route } from "../../route.ts";
import { deletionsRoute } from "./deletions.ts";
import { excerptsRoute } from "./excerpts.ts";
import { conversationRoute, imageRoute, mailPageRoute, traceRoute } from "./mail.ts";
import { assetRoute, pageRoutes } from "./pages.ts";
import { optionalSettingsRoute } from "./optional-settings.ts";
import { passagesRoute } from "./passages.ts";
import { referenceRoutes } from "./reference.ts";
import { timingsRoute } from "./timings.ts";
import { countRoute } from "./count.ts";
import { unreadRoute } from "./unread.ts";
import { issueTicketRoute } from "./tickets.ts";
import { closeSessionRoute, getSessionRoute, openSessionRoute } from "./session.ts";

/** Routes of the web UI: its pages, its sign-in, and requests of its own. */
export const webRoutes: readonly Route[] = [
  ...pageRoutes,
  assetRoute,
  ...referenceRoutes,
  openSessionRoute,
  getSessionRoute,
  closeSessionRoute,
  issueTicketRoute,
  excerptsRoute,
  passagesRoute,
  deletionsRoute,
  traceRoute,
  conversationRoute,
  timingsRoute,
  optionalSettingsRoute,
  unreadRoute,
  countRoute,
  mailPageRoute,
  imageRoute,
];
