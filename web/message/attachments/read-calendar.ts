/**
 * Events of calendar files (RFC 5545, RFC 5546). The only file that knows ical.js. Times are those of the file: neither time
 * zones nor recurrences are computed, since a hostile rule takes any time.
 */
import ICAL from "ical.js";

/** A time as it is written; an `instant` in UTC, or a local time with the name of its zone. */
export interface CalendarTime {
  readonly text: string;
  readonly zone: string | null;
  /** ISO 8601 for a time in UTC; null for any other. */
  readonly instant: string | null;
}

/** An attendee with its reply. */
export interface Attendee {
  readonly name: string;
  /** `ACCEPTED`, `DECLINED` …; `NEEDS-ACTION` when none is given. */
  readonly status: string;
}

/** An event of a calendar. */
export interface CalendarEvent {
  readonly summary: string;
  readonly start: CalendarTime | null;
  readonly end: CalendarTime | null;
  /** As written, for example `PT1H`; null when the end is given. */
  readonly duration: string | null;
  readonly location: string;
  readonly organizer: string;
  readonly attendees: readonly Attendee[];
  /** Attendees that are left out. */
  readonly omittedCount: number;
  /** Rule of recurrence as written; "" for a single event. */
  readonly recurrence: string;
  readonly status: string;
  readonly description: string;
}

/** A calendar file. */
export interface Calendar {
  /** `REQUEST`, `CANCEL`, `REPLY` …; "" for a file that is no invitation. */
  readonly method: string;
  readonly events: readonly CalendarEvent[];
}

const eventCountMax = 20;
const attendeeCountMax = 50;
const lengthMax = 2000;

/** Reads a calendar file; throws when it is not one. */
export function readCalendar(text: string): Calendar {
  const parsed = ICAL.parse(text) as unknown[];
  // A file with several calendars is parsed to a list of them.
  const calendar = new ICAL.Component(Array.isArray(parsed[0]) ? parsed[0] : parsed);
  if (calendar.name !== "vcalendar") throw new Error(`${calendar.name} is not a calendar`);
  const events = calendar.getAllSubcomponents("vevent").slice(0, eventCountMax);
  return { method: textOf(calendar, "method").toUpperCase(), events: events.map(readEvent) };
}

function readEvent(event: ICAL.Component): CalendarEvent {
  const end = timeOf(event, "dtend");
  const attendees = event.getAllProperties("attendee");
  return {
    summary: textOf(event, "summary"),
    start: timeOf(event, "dtstart"),
    end,
    duration: end === null ? textOf(event, "duration") || null : null,
    location: textOf(event, "location"),
    organizer: nameOf(event.getFirstProperty("organizer")),
    attendees: attendees.slice(0, attendeeCountMax).map((attendee) => ({
      name: nameOf(attendee),
      status: (parameterOf(attendee, "partstat") ?? "NEEDS-ACTION").toUpperCase(),
    })),
    omittedCount: Math.max(0, attendees.length - attendeeCountMax),
    recurrence: textOf(event, "rrule"),
    status: textOf(event, "status").toUpperCase(),
    description: textOf(event, "description"),
  };
}

function textOf(component: ICAL.Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? "").slice(0, lengthMax);
}

function nameOf(property: ICAL.Property | null): string {
  if (property === null) return "";
  const address = String(property.getFirstValue() ?? "").replace(/^mailto:/i, "");
  const name = parameterOf(property, "cn");
  return (name === null || name === address ? address : `${name} <${address}>`).slice(0, lengthMax);
}

function timeOf(component: ICAL.Component, name: string): CalendarTime | null {
  const property = component.getFirstProperty(name);
  if (property === null) return null;
  const text = String(property.getFirstValue() ?? "").slice(0, lengthMax);
  const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
  return { text: text.replace("T", " "), zone: parameterOf(property, "tzid"), instant };
}

function parameterOf(property: ICAL.Property, name: string): string | null {
  const value = property.getParameter(name) as string | readonly string[] | undefined;
  const first = typeof value === "object" ? value[0] : value;
  return first?.slice(0, lengthMax) ?? null;
}
