import type { KeyRoute } from "../../route.ts";
import { getAttachmentRoute } from "./get-attachment.ts";
import { getRawMessageRoute } from "./get-raw-message.ts";

/** Routes below `/api/files`. */
export const fileRoutes: readonly KeyRoute[] = [getAttachmentRoute, getRawMessageRoute];
