import { clsx } from "clsx";
import { useMemo, type ReactElement } from "react";
import { useFileStart } from "../../api/messages.ts";
import badgeStyles from "../../shared/badge.module.css";
import { ErrorNotice } from "../../shared/notice.tsx";
import { formatInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import tableStyles from "../../shared/table.module.css";
import { type Pair, Pairs } from "../../shared/table.tsx";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import styles from "./attachments-view.module.css";
import { readCalendar, type Calendar, type CalendarEvent, type CalendarTime } from "./read-calendar.ts";

const labels = pageStrings.calendar;

const readBytesMax = 256 * 1024;

/** Events of an attached calendar, such as an invitation; the text of a file that cannot be read. */
export function CalendarPreview({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const { data, error } = useFileStart(`/api/files/attachments/${id}`, readBytesMax);
  const calendar = useMemo(() => (data === undefined ? null : calendarOf(data.text)), [data]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={clsx(styles.preview, layout.faint)}>{strings.loading}</p>;
  if (calendar === null) {
    return (
      <div className={clsx(styles.preview, layout.stack, layout.tight)}>
        <p className={layout.faint}>{labels.invalid}</p>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
        <pre tabIndex={0} aria-label={name}>
          {data.text}
        </pre>
      </div>
    );
  }
  return (
    <div className={clsx(styles.preview, layout.stack)}>
      {calendar.events.length === 0 && <p className={layout.faint}>{labels.noEvents}</p>}
      {calendar.events.map((event, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- events have no identity but their position
        <Event key={at} event={event} method={calendar.method} />
      ))}
      {!data.isComplete && <p className={clsx(layout.faint, layout.small)}>{pageStrings.attachments.cut}</p>}
    </div>
  );
}

function Event({ event, method }: { readonly event: CalendarEvent; readonly method: string }): ReactElement {
  const { summary, start, end, duration, location, organizer, recurrence, status, description } = event;
  const facts: readonly Pair[] = [
    [labels.start, textOf(start)],
    [labels.end, textOf(end) ?? duration],
    [labels.recurrence, recurrence || null],
    [labels.location, location || null],
    [labels.organizer, organizer || null],
    [labels.status, status || null],
  ];
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3 className={clsx(layout.row, layout.wrap)}>
        {summary === "" ? labels.untitled : summary}
        {method !== "" && <span className={badgeStyles.badge}>{labels.methods[method] ?? method}</span>}
      </h3>
      <dl className={tableStyles.pairs}>
        <Pairs className={layout.anywhere} pairs={facts} />
        {event.attendees.length > 0 && (
          <>
            <dt>{labels.attendees}</dt>
            <dd>
              <ul>
                {event.attendees.map((attendee, at) => (
                  // oxlint-disable-next-line react/no-array-index-key -- a person may be listed twice
                  <li key={at} className={layout.anywhere}>
                    {attendee.name}{" "}
                    <span className={layout.faint}>{labels.replies[attendee.status] ?? attendee.status}</span>
                  </li>
                ))}
                {event.omittedCount > 0 && (
                  <li className={layout.faint}>{pageStrings.message.moreContacts(event.omittedCount)}</li>
                )}
              </ul>
            </dd>
          </>
        )}
      </dl>
      {description !== "" && <p className={styles.description}>{description}</p>}
    </section>
  );
}

function textOf(time: CalendarTime | null): string | null {
  if (time === null) return null;
  if (time.instant !== null) return formatInstant(time.instant);
  return time.zone === null ? time.text || null : `${time.text} (${time.zone})`;
}

function calendarOf(text: string): Calendar | null {
  try {
    return readCalendar(text);
  } catch {
    // Shown as text, with a note.
    return null;
  }
}
