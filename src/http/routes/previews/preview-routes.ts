import type { KeyRoute } from "../../route.ts";
import { generateFormerPreviewsRoute, generatePreviewsRoute } from "./generate-previews.ts";
import { getFormerPreviewRoute, getPreviewRoute } from "./get-preview.ts";
import { listEmailClientsRoute, listFormerClientsRoute } from "./list-email-clients.ts";

/** Routes of previews, for current libraries and for those before 2026. */
export const previewRoutes: readonly KeyRoute[] = [
  listEmailClientsRoute,
  generatePreviewsRoute,
  getPreviewRoute,
  listFormerClientsRoute,
  generateFormerPreviewsRoute,
  getFormerPreviewRoute,
];
