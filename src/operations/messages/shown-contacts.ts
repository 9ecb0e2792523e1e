import type { Contact } from "../../core/message.ts";
import { explainedValue, explainedValueCountMax } from "../../core/search-explanation.ts";

/** Returns contacts as explanations show them: the first ones, shortened. */
export function shownContacts(contacts: readonly Contact[]): readonly Contact[] {
  const shown = (value: string | null): string | null => (value === null ? null : explainedValue(value));
  return contacts
    .slice(0, explainedValueCountMax)
    .map(({ name, email, phone }) => ({ name: explainedValue(name), email: shown(email), phone: shown(phone) }));
}
