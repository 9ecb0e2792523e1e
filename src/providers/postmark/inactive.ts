/**
 * Recipients that count as inactive: the addresses of the domain for fake bounces that deactivate a recipient
 * (https://postmarkapp.com/support/article/1239-how-to-test-bounces).
 */
import { PostmarkRejection } from "./errors.ts";
import type { PostmarkMessage } from "./request.ts";

const inactiveNames: ReadonlySet<string> = new Set([
  "hardbounce",
  "bademailaddress",
  "spamcomplaint",
  "manuallydeactivated",
]);

function isInactive(address: string): boolean {
  const [name = "", domain] = address.toLowerCase().split("@");
  return domain === "bounce-testing.postmarkapp.com" && inactiveNames.has(name.replaceAll("_", ""));
}

const explanation =
  "Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.";

/**
 * Returns the active recipients and the text of the response. Throws a rejection with code 406 when all are inactive.
 */
export function activeRecipients({ to, cc, bcc }: PostmarkMessage): {
  readonly recipients: readonly string[];
  readonly text: string;
} {
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
