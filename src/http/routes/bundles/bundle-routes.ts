import type { KeyRoute } from "../../route.ts";
import { getAttachmentsRoute } from "./get-attachments.ts";
import { getMessageBundleRoute } from "./get-bundle.ts";

/** Routes below `/api/messages/:id` that respond with ZIP archives. */
export const messageArchiveRoutes: readonly KeyRoute[] = [getMessageBundleRoute, getAttachmentsRoute];
