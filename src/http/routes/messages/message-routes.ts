import type { KeyRoute } from "../../route.ts";
import { awaitJourneyRoute, searchMessagesRoute } from "./search-messages.ts";
import { answerRoutes } from "./simulated-reply-routes.ts";
import { messageArchiveRoutes } from "../bundles/bundle-routes.ts";
import { markRoutes } from "../marks/mark-routes.ts";
import { savedSearchRoutes, searchRoutes } from "../searches/search-routes.ts";
import { taggingRoutes } from "../tags/tagging-routes.ts";
import {
  createEmailRoute,
  forwardMessageRoute,
  releaseMessageRoute,
  replyToMessageRoute,
  unsubscribeMessageRoute,
} from "./composing.ts";
import { findDuplicatesRoute } from "./find-duplicates.ts";
import {
  deleteMatchingRoute,
  deleteMessageRoute,
  emptyServerRoute,
  getMessageRoute,
  getTranscriptRoute,
  listMessagesRoute,
} from "./stored-messages.ts";

/** Routes below `/api/messages`. */
export const messageRoutes: readonly KeyRoute[] = [
  listMessagesRoute,
  createEmailRoute,
  emptyServerRoute,
  searchMessagesRoute,
  deleteMatchingRoute,
  awaitJourneyRoute,
  findDuplicatesRoute,
  getMessageRoute,
  getTranscriptRoute,
  ...messageArchiveRoutes,
  deleteMessageRoute,
  forwardMessageRoute,
  releaseMessageRoute,
  replyToMessageRoute,
  unsubscribeMessageRoute,
  ...answerRoutes,
  ...markRoutes,
  ...taggingRoutes,
  ...savedSearchRoutes,
  ...searchRoutes,
];
