/** Mail that applications sent, as the APIs of providers read it back. */
import type { EmailFilter, EmailSession, StoredEmail } from "../email.ts";

/** Filter without a condition. */
export const anyEmail: Omit<EmailFilter, "page" | "itemsPerPage"> = {
  tag: null,
  to: null,
  from: null,
  since: null,
  before: null,
};

/** Bounds of a search: mails that are looked at, and those that are in memory at once. */
export interface SearchBounds {
  readonly countMax: number;
  readonly pageSize: number;
}

/** Yields the newest mails that match, newest first; absent members of the filter match all. */
export async function* newestEmails(
  session: Pick<EmailSession, "listEmails">,
  filter: Partial<typeof anyEmail>,
  { countMax, pageSize }: SearchBounds,
): AsyncGenerator<StoredEmail, void> {
  for (let page = 0; page * pageSize < countMax; page += 1) {
    const { emails, hasMore } = await session.listEmails({ ...anyEmail, ...filter, page, itemsPerPage: pageSize });
    yield* emails;
    if (!hasMore) return;
  }
}
