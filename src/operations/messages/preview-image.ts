import { safeImage, type SafeImage } from "../../analysis/safe-image.ts";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import { getAttachment, type GetAttachmentContext } from "./get-attachment.ts";

/**
 * An attachment as an image to be shown, by its bytes, whatever type it claims. Rejects with `not_found`, also for what is no such image.
 */
export async function previewImage(
  context: GetAttachmentContext,
  principal: Principal,
  idText: string,
): Promise<SafeImage> {
  const { bytes } = await getAttachment(context, principal, idText);
  const image = safeImage(bytes);
  if (image === undefined) throw new Problem("not_found", { text: "This attachment is no image that is shown here" });
  return image;
}
