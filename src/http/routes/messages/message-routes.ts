import type { KeyRoute } from "../../route.ts";
import { awaitJourneyRoute } from "./await-journey.ts";
import { answerRoutes } from "./simulated-reply-routes.ts";
import { messageArchiveRoutes } from "../bundles/bundle-routes.ts";
import { markRoutes } from "../marks/mark-routes.ts";
import { savedSearchRoutes } from "../searches/saved-search-routes.ts";
import { searchRoutes } from "../searches/search-routes.ts";
import { taggingRoutes } from "../tags/tagging-routes.ts";
import { createEmailRoute } from "./create-email.ts";
import { deleteMessageRoute } from "./delete-message.ts";
import { emptyServerRoute } from "./empty-server.ts";
import { findDuplicatesRoute } from "./find-duplicates.ts";
import { deleteMatchingRoute } from "./delete-matching.ts";
import { forwardMessageRoute } from "./forward-message.ts";
import { releaseMessageRoute } from "./release-message.ts";
import { getMessageRoute } from "./get-message.ts";
import { getTranscriptRoute } from "./get-transcript.ts";
import { listMessagesRoute } from "./list-messages.ts";
import { replyToMessageRoute } from "./reply-to-message.ts";
import { searchMessagesRoute } from "./search-messages.ts";
import { unsubscribeMessageRoute } from "./unsubscribe-message.ts";

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
