import { safeImage, type SafeImage } from "../../analysis/safe-image.ts";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import { getAttachment, type GetAttachmentContext } from "./get-attachment.ts";

/**
 * Returns an attachment as an image, whose format is detected from its bytes. Rejects with `not_found`, also when it is not
 * a supported image.
 */
export async function previewImage(
  context: GetAttachmentContext,
  principal: Principal,
  idText: string,
): Promise<SafeImage> {
  const { bytes } = await getAttachment(context, principal, idText);
  const image = safeImage(bytes);
  if (image === undefined)
    throw new Problem("not_found", { text: "This attachment is not an image that can be shown" });
  return image;
}
