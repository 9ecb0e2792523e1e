import type { KeyRoute } from "../../route.ts";
import { generateFormerPreviewsRoute, generatePreviewsRoute } from "./generate-previews.ts";
import { getFormerPreviewRoute, getPreviewRoute } from "./get-preview.ts";
import { listEmailClientsRoute, listFormerClientsRoute } from "./list-email-clients.ts";

/** The routes of previews, today's and those of libraries from before 2026. */
export const previewRoutes: readonly KeyRoute[] = [
  listEmailClientsRoute,
  generatePreviewsRoute,
  getPreviewRoute,
  listFormerClientsRoute,
  generateFormerPreviewsRoute,
  getFormerPreviewRoute,
];
