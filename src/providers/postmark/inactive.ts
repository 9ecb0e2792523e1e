/** Recipients that are inactive: suppressed ones, and an address of the domain for test bounces. */
import { testBounceOf } from "./bounce-types.ts";
import { PostmarkRejection } from "./errors.ts";
import type { PostmarkMessage } from "./request.ts";

const explanation =
  "Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.";

/**
 * Returns the active recipients and the text of the response. Throws a rejection with code 406 when all are inactive.
 * `suppressed` has entries `stream address`.
 */
export function activeRecipients(
  { to, cc, bcc, stream }: PostmarkMessage,
  suppressed: ReadonlySet<string>,
): {
  readonly recipients: readonly string[];
  readonly text: string;
} {
  const isInactive = (address: string): boolean =>
    suppressed.has(`${stream} ${address.toLowerCase()}`) || testBounceOf(address)?.type === "ManuallyDeactivated";
  const all = [...to, ...cc, ...bcc].map(({ address }) => address);
  const inactive = all.filter(isInactive);
  if (inactive.length === 0) return { recipients: all, text: "OK" };
  const list = inactive.map((address) => address.toLowerCase()).join(", ");
  if (inactive.length === all.length) {
    throw new PostmarkRejection(
      406,
      `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${list}. ${explanation}`,
    );
  }
  const recipients = all.filter((address) => !isInactive(address));
  return { recipients, text: `Message OK, but will not deliver to these inactive addresses: ${list}. ${explanation}` };
}
