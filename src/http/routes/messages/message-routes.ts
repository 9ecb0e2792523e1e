import type { KeyRoute } from "../../route.ts";
import { awaitJourneyRoute, searchMessagesRoute } from "./search-messages.ts";
import { messageArchiveRoutes } from "../bundles/bundle-routes.ts";
import { markRoutes } from "../marks/mark-routes.ts";
import { savedSearchRoutes, searchRoutes } from "../searches/search-routes.ts";
import { taggingRoutes } from "../tags/tagging-routes.ts";
import { composingRoutes } from "./composing.ts";
import { findDuplicatesRoute } from "./find-duplicates.ts";
import { deletingRoutes, readingRoutes } from "./stored-messages.ts";

/** Routes below `/api/messages`. */
export const messageRoutes: readonly KeyRoute[] = [
  ...readingRoutes,
  searchMessagesRoute,
  awaitJourneyRoute,
  findDuplicatesRoute,
  ...messageArchiveRoutes,
  ...composingRoutes,
  ...deletingRoutes,
  ...markRoutes,
  ...taggingRoutes,
  ...savedSearchRoutes,
  ...searchRoutes,
];
